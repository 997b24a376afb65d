// SPDX-License-Identifier: Apache-2.0
// Lru: a bounded, thread-safe cache of shared values that evicts the least recently used key (CCH-01). A value is made
// once even if many threads ask for it at the same time; an evicted value lives on with those who hold it.
//
//   constinit std::mutex lock;                        // given, so that fork() finds it: core/at_fork.hpp
//   Lru<Problem, Implementation> cache(lock, 1024);
//   auto [value, hit] = cache.get(problem, hash, [&] { return make(problem); });
//
// The first thread to ask for a key makes its value, outside of the lock; the others wait for it. A failure is returned
// to all who wait and is not cached. With capacity 0 nothing is kept and every get() makes a value. Keys compare with
// ==; equal keys must have equal hashes. `make` must not ask the cache for the same key. Out of memory, get() throws
// std::bad_alloc or returns `out_of_memory` and leaves the cache as it was. Values are destroyed outside of the lock.
//
// Lru<Key, Value, std::weak_ptr> keeps no value alive: it returns one as long as somebody else holds it.
#pragma once

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>

#include "core/cache/pending.hpp"
#include "core/status.hpp"

namespace tessera {

template <typename Key, typename Value, template <typename> typename Held = std::shared_ptr> class Lru {
public:
    using Made = Result<std::shared_ptr<const Value>>;
    struct Answer {
        Made value;
        bool hit;
    };

    Lru(std::mutex& lock, size_t capacity) : mutex_(lock), capacity_(capacity) {}

    template <typename Make> Answer get(const Key& key, uint64_t hash, Make&& make) {
        std::unique_lock lock(mutex_);
        if (capacity_ == 0) {
            lock.unlock();
            return {make(), false};
        }
        if (const auto at = find(key, hash); at != index_.end()) {
            order_.splice(order_.begin(), order_, at->second);
            const Entry& entry = *at->second;
            if (const std::shared_ptr<Promised> pending = entry.pending) {
                lock.unlock();
                return {pending->wait(), true};
            }
            if (auto value = alive(entry.value)) return {std::move(value), true};
            order_.erase(at->second); // its last holder has gone
            index_.erase(at);
        }
        // Everything that may throw comes before the entry is linked in.
        const auto pending = std::make_shared<Promised>();
        Order entry;
        entry.push_front({key, hash, {}, pending});
        index_.emplace(hash, entry.begin());
        order_.splice(order_.begin(), entry);
        Order gone = leaving();
        lock.unlock();
        gone.clear();

        Made made = guarded_make(make);
        lock.lock();
        // While the lock was free the entry may have been evicted, and another one of the same key been inserted.
        if (const auto at = find(key, hash); at != index_.end() && at->second->pending == pending) {
            if (made) {
                at->second->value = *made;
                at->second->pending.reset();
            } else {
                gone.splice(gone.begin(), order_, at->second);
                index_.erase(at);
            }
        }
        lock.unlock();
        pending->set(std::move(made)); // before the copy, which may run out of memory while other threads wait
        return {pending->wait(), false};
    }

    // Those that are being made stay.
    template <typename Goes> void erase_if(const Goes& goes) {
        Order gone; // destroyed after the lock
        const std::lock_guard lock(mutex_);
        for (auto at = order_.begin(); at != order_.end();) {
            const auto entry = at++;
            if (entry->pending || !goes(entry->key)) continue;
            drop_index(entry);
            gone.splice(gone.begin(), order_, entry);
        }
    }

    void set_capacity(size_t capacity) {
        std::unique_lock lock(mutex_);
        capacity_ = capacity;
        const Order gone = leaving();
        lock.unlock();
    }
    size_t capacity() const {
        const std::lock_guard lock(mutex_);
        return capacity_;
    }
    size_t size() const {
        const std::lock_guard lock(mutex_);
        return order_.size();
    }

    // In a child of fork(), with the lock held: the threads that were making these values do not exist here.
    void forget_unfinished() {
        for (auto at = order_.begin(); at != order_.end();) {
            const auto entry = at++;
            if (!entry->pending) continue;
            drop_index(entry);
            order_.erase(entry);
        }
    }

private:
    using Promised = Pending<Made>;
    struct Entry {
        Key key;
        uint64_t hash;
        Held<const Value> value;           // empty while it is made
        std::shared_ptr<Promised> pending; // null afterwards
    };
    using Order = std::list<Entry>; // most recently used first
    using Index = std::unordered_multimap<uint64_t, typename Order::iterator>;

    static std::shared_ptr<const Value> alive(const std::shared_ptr<const Value>& held) { return held; }
    static std::shared_ptr<const Value> alive(const std::weak_ptr<const Value>& held) { return held.lock(); }

    typename Index::iterator find(const Key& key, uint64_t hash) {
        auto [at, end] = index_.equal_range(hash);
        for (; at != end; ++at)
            if (at->second->key == key) return at;
        return index_.end();
    }

    void drop_index(typename Order::iterator entry) {
        auto [at, end] = index_.equal_range(entry->hash);
        index_.erase(std::find_if(at, end, [&](const auto& item) { return item.second == entry; }));
    }

    // Evicts what exceeds the capacity.
    Order leaving() {
        Order gone;
        while (order_.size() > capacity_) {
            const auto last = std::prev(order_.end());
            drop_index(last);
            gone.splice(gone.begin(), order_, last);
        }
        return gone;
    }

    // Turns an exception into a refusal, so that waiting threads get a result.
    template <typename Make> static Made guarded_make(Make& make) noexcept {
        try {
            return make();
        } catch (const std::bad_alloc&) {
            // handled below
        } catch (const std::exception& e) {
            try {
                return runtime_error("creation of a primitive: {}", e.what());
            } catch (...) {} // of bad_alloc
        }
        return Refusal(Error{Status::out_of_memory, "out of memory"}); // a text that a string holds without the heap
    }

    std::mutex& mutex_;
    size_t capacity_;
    Order order_;
    Index index_;
};

} // namespace tessera
