// Files that are being written, by name: a signal that ends the process removes them first.
//
//   remove_unfinished_on_signals();                 // once, in main()
//   const int slot = remember_unfinished(name);     // before the file is made, so that no signal comes between
//   ...
//   forget_unfinished(slot);                        // it was renamed, or removed
#pragma once

namespace tessera {

// SIGINT, SIGTERM, SIGHUP and the like, faults included; one that the process was started to ignore stays ignored.
// SIGXFSZ is ignored, so that a file beyond the limit of its size is an error and not the end.
void remove_unfinished_on_signals();

// -1 if there are more than a handful, which then only survive signals.
int remember_unfinished(const char* name);
void forget_unfinished(int slot);

// While one lives, signals that would end the process wait: for renames that belong together.
struct SignalsWait {
    SignalsWait();
    ~SignalsWait();
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;
};

} // namespace tessera
