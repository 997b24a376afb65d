// SPDX-License-Identifier: Apache-2.0
// Files that are being written, by name: a signal that ends the process removes them first.
//
//   remove_unfinished_on_signals();                 // once, in main()
//   const int slot = remember_unfinished(name);     // before the file is made, so that no signal comes between
//   ...
//   forget_unfinished(slot);                        // it was renamed, or removed
#pragma once

namespace tessera {

// For SIGINT, SIGTERM, SIGHUP and the like, faults included; a signal that was ignored at start stays ignored. SIGXFSZ
// is ignored, so that exceeding the file size limit is an error of write() and does not end the process.
void remove_unfinished_on_signals();

// -1 if all slots are taken: such a file is not removed on a signal.
int remember_unfinished(const char* name);
void forget_unfinished(int slot);

// Blocks signals that would end the process while it lives: for renames that belong together.
struct SignalsWait {
    SignalsWait();
    ~SignalsWait();
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;
};

} // namespace tessera
