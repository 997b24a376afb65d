// SPDX-License-Identifier: Apache-2.0
// An output file that appears complete or not at all, written through a mapping.
//
// It is written next to its target (a rename is atomic only within a file system) and is removed unless put_in_place()
// renamed it, even if a signal ends the process. For a stream (mapped_file.hpp) the bytes are kept in memory and
// written by close().
//
// A file that is replaced keeps its mode and owner, and links that lead to it. Where it has several names (hard links),
// which a rename would part, the finished bytes are written over its own: the one case that is not atomic. If that
// fails halfway, the complete file stays beside it, and the message names it.
//
//   auto file = NewFile::create("out.npy", 4096);   // out.npy.tmp-<pid>-<n>, 4096 bytes of zeros
//   std::memcpy(file->data(), ...);
//   file->close();                                  // the last point where a write error can show up
//   file->put_in_place();                           // now out.npy has them; until here it was as before
#pragma once

#include <string>
#include <utility>

#include "files/mapped_file.hpp"

namespace tessera {

class NewFile {
public:
    // `size` > 0 bytes, mapped for writing and reserved on the disk, so that a full disk is an error here and not a
    // SIGBUS while the bytes are written.
    static Result<NewFile> create(const std::string& target, int64_t size);

    NewFile() = default;
    NewFile(NewFile&& other) noexcept { swap(other); }
    NewFile& operator=(NewFile&& other) noexcept {
        NewFile(std::move(other)).swap(*this);
        return *this;
    }
    ~NewFile();

    char* data() const { return mapping_.data(); }
    Result<void> close(); // unmaps; data() is null afterwards
    Result<void> put_in_place();
    const std::string& place() const { return place_; }
    bool overwrites() const { return overwrites_; }

private:
    Result<void> open_stream(int64_t size);
    Result<void> open_file(int64_t size);
    Result<void> overwrite();
    void swap(NewFile& other) noexcept {
        std::swap(target_, other.target_);
        std::swap(place_, other.place_);
        std::swap(overwrites_, other.overwrites_);
        std::swap(name_, other.name_);
        std::swap(slot_, other.slot_);
        std::swap(file_, other.file_);
        std::swap(mapping_, other.mapping_);
    }
    std::string target_;
    std::string place_;       // where links from the target lead
    bool overwrites_ = false; // what is there: it has several names
    std::string name_;        // empty: nothing to remove
    int slot_ = -1;           // of the name among the unfinished files
    int file_ = -1;
    Mapping mapping_;
};

// Reserves stdout for the bytes of a file: from here on everything printed, the library's log included, goes to stderr.
// A terminal is refused. Calling it again changes nothing.
Result<void> reserve_standard_output();

} // namespace tessera
