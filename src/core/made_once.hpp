// MadeOnce: an object of the process that is made at its first use and never destroyed: destructors of other static
// objects may use it. Nothing is locked meanwhile, so neither a fork() in the middle nor an exception leaves anything
// behind; of threads that come first at the same time each makes one, and one of them is kept.
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
