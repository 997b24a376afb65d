// Lru: a bounded map from keys to shared values, where values are made once however many threads ask at the same time
// (CCH-01). The least recently asked key leaves first; values live on with those who hold them.
//
//   Lru<Problem, Implementation> cache(1024);
//   auto [value, hit] = cache.get(problem, hash, [&] { return make(problem); });
//
// The first to ask for a key makes its value outside of the lock; others wait for it. A failure is answered to all who
// wait and not kept. Capacity 0 keeps nothing and every get() makes. Keys compare with ==; equal keys, equal hashes.
// `make` must not ask the cache for the same key.
#pragma once

#include <algorithm>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/status.hpp"

namespace tessera {

template <typename Key, typename Value> class Lru {
public:
    using Made = Result<std::shared_ptr<const Value>>;
    struct Answer {
        Made value;
        bool hit;
    };

    explicit Lru(size_t capacity) : capacity_(capacity) {}

    template <typename Make> Answer get(const Key& key, uint64_t hash, Make&& make) {
        std::unique_lock lock(mutex_);
        if (capacity_ == 0) {
            lock.unlock();
            return {make(), false};
        }
        if (const auto at = find(key, hash); at != index_.end()) {
            order_.splice(order_.begin(), order_, at->second);
            Entry& entry = *at->second;
            if (entry.value) return {entry.value, true};
            const std::shared_future<Made> pending = entry.pending;
            lock.unlock();
            return {pending.get(), true};
        }
        std::promise<Made> promise;
        const uint64_t serial = ++serial_;
        order_.push_front({key, hash, serial, nullptr, promise.get_future().share()});
        index_.emplace(hash, order_.begin());
        shrink();
        lock.unlock();

        Made made = guarded_make(make);
        lock.lock();
        // The entry may have left, or another of the same key have come, while nobody looked.
        if (const auto at = find(key, hash); at != index_.end() && at->second->serial == serial) {
            if (made) {
                at->second->value = *made;
                at->second->pending = {};
            } else {
                order_.erase(at->second);
                index_.erase(at);
            }
        }
        lock.unlock();
        promise.set_value(made);
        return {std::move(made), false};
    }

    void set_capacity(size_t capacity) {
        const std::lock_guard lock(mutex_);
        capacity_ = capacity;
        shrink();
    }
    size_t capacity() const {
        const std::lock_guard lock(mutex_);
        return capacity_;
    }
    size_t size() const {
        const std::lock_guard lock(mutex_);
        return order_.size();
    }

private:
    struct Entry {
        Key key;
        uint64_t hash;
        uint64_t serial;
        std::shared_ptr<const Value> value; // null while it is made
        std::shared_future<Made> pending;
    };
    using Order = std::list<Entry>; // most recently asked first
    using Index = std::unordered_multimap<uint64_t, typename Order::iterator>;

    typename Index::iterator find(const Key& key, uint64_t hash) {
        auto [at, end] = index_.equal_range(hash);
        for (; at != end; ++at)
            if (at->second->key == key) return at;
        return index_.end();
    }

    void shrink() {
        while (order_.size() > capacity_) {
            const auto last = std::prev(order_.end());
            auto [at, end] = index_.equal_range(last->hash);
            at = std::find_if(at, end, [&](const auto& item) { return item.second == last; });
            index_.erase(at);
            order_.erase(last);
        }
    }

    // An exception must not leave the waiting threads without an answer.
    template <typename Make> static Made guarded_make(Make& make) {
        try {
            return make();
        } catch (const std::bad_alloc&) {
            return out_of_memory("creation of a primitive: out of memory");
        } catch (const std::exception& e) { return runtime_error("creation of a primitive: {}", e.what()); }
    }

    mutable std::mutex mutex_;
    size_t capacity_;
    uint64_t serial_ = 0;
    Order order_;
    Index index_;
};

} // namespace tessera
