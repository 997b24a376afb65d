// SPDX-License-Identifier: Apache-2.0
// MadeOnce: a lazily created singleton. It is never destroyed, so that destructors of other statics may still use it.
// Creation takes no lock, so that neither a fork() nor an exception in the middle leaves one taken. Threads that race
// for the first use each make an object; the first to publish wins and the others drop theirs.
//
//   constinit MadeOnce<Machine> machine;
//   const Machine& m = machine.get([] { return read_machine(); });
#pragma once

#include <atomic>
#include <memory>

namespace tessera {

template <typename T> class MadeOnce {
public:
    template <typename Make> T& get(const Make& make) {
        T* there = made_.load(std::memory_order_acquire);
        if (there) [[likely]]
            return *there;
        std::unique_ptr<T> mine(new T(make()));
        if (made_.compare_exchange_strong(there, mine.get(), std::memory_order_acq_rel, std::memory_order_acquire))
            there = mine.release();
        return *there;
    }
    T& get() {
        return get([] { return T(); });
    }
    T* if_made() { return made_.load(std::memory_order_acquire); }

private:
    std::atomic<T*> made_{nullptr};
};

} // namespace tessera
