// SPDX-License-Identifier: Apache-2.0
// Pending: a value that one thread makes while others wait for it. std::promise would do, but it copies the value in a
// noexcept function, where running out of memory ends the process. Here nothing allocates or throws once the object
// exists, so that waiting threads get an answer even without memory.
//
//   auto pending = std::make_shared<Pending<Made>>();   // may throw: nobody waits yet
//   pending->set(make());                               // one thread, once
//   const Made& made = pending->wait();                 // any number of others, before or after
#pragma once

#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>

namespace tessera {

template <typename T> class Pending {
public:
    void set(T&& value) noexcept {
        static_assert(std::is_nothrow_move_constructible_v<T>);
        value_.emplace(std::move(value));
        // Sequentially consistent: notify_all() looks for waiting threads by a load, which a store that only releases
        // may follow on x86. A thread that begins to wait between the two would then sleep for ever.
        done_.store(1);
        done_.notify_all();
    }
    const T& wait() const noexcept {
        done_.wait(0, std::memory_order_acquire);
        return *value_;
    }

private:
    std::optional<T> value_;
    std::atomic<int> done_{0};
};

} // namespace tessera
