// SPDX-License-Identifier: Apache-2.0
// Lru: who stays, who leaves, who waits for whom. covers: CCH-01
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/cache/lru.hpp"

namespace tessera {
namespace {

using Cache = Lru<int, std::string>;
using Made = Cache::Made;

Made value(const std::string& text) { return std::make_shared<const std::string>(text); }

class LruTest : public testing::Test {
protected:
    // Whether `key` is there. If not, whoever would leave next makes room for the attempt.
    bool has(int key, uint64_t hash) {
        return cache_.get(key, hash, []() -> Made { return invalid("a miss"); }).hit;
    }
    bool has(int key) { return has(key, uint64_t(key)); }
    void put(int key) {
        const auto answer = cache_.get(key, uint64_t(key), [&] { return value(std::to_string(key)); });
        ASSERT_TRUE(answer.value);
        ASSERT_FALSE(answer.hit) << key;
    }

    std::mutex lock_;
    Cache cache_{lock_, 3};
};

TEST_F(LruTest, WhatIsAskedForStays) {
    for (const int key : {1, 2, 3}) put(key);
    EXPECT_TRUE(has(1)); // first in, but not first out: 2 was asked for longest ago
    put(4);
    EXPECT_EQ(cache_.size(), 3u);
    EXPECT_TRUE(has(1));
    EXPECT_TRUE(has(3));
    EXPECT_TRUE(has(4));
    EXPECT_FALSE(has(2));
}

TEST_F(LruTest, AValueIsMadeOnceAndShared) {
    const auto first = cache_.get(1, 1, [] { return value("one"); });
    const auto second = cache_.get(1, 1, [] { return value("another"); });
    EXPECT_FALSE(first.hit);
    EXPECT_TRUE(second.hit);
    EXPECT_EQ(*first.value, *second.value);
}

TEST_F(LruTest, KeysOfOneHashAreTold) {
    for (const int key : {1, 2, 3}) {
        const auto answer = cache_.get(key, 7, [&] { return value(std::to_string(key)); });
        EXPECT_FALSE(answer.hit);
    }
    for (const int key : {1, 2, 3})
        EXPECT_EQ(**cache_.get(key, 7, [] { return value("new"); }).value, std::to_string(key));
    cache_.set_capacity(1); // the others leave, and they alone
    EXPECT_TRUE(has(3, 7));
    EXPECT_FALSE(has(1, 7));
    EXPECT_FALSE(has(2, 7));
}

TEST_F(LruTest, AFailureIsAnsweredAndNotKept) {
    const auto refused = cache_.get(1, 1, []() -> Made { return unimplemented("not {}", "today"); });
    ASSERT_FALSE(refused.value);
    EXPECT_EQ(refused.value.error().status, Status::unimplemented);
    EXPECT_EQ(refused.value.error().reason, "not today");
    EXPECT_EQ(cache_.size(), 0u);
    put(1);
}

TEST_F(LruTest, ExceptionsAreFailures) {
    const auto none = cache_.get(1, 1, []() -> Made { throw std::bad_alloc(); });
    ASSERT_FALSE(none.value);
    EXPECT_EQ(none.value.error().status, Status::out_of_memory);
    const auto other = cache_.get(1, 1, []() -> Made { throw std::runtime_error("odd"); });
    ASSERT_FALSE(other.value);
    EXPECT_EQ(other.value.error().status, Status::runtime_error);
    EXPECT_NE(other.value.error().reason.find("odd"), std::string::npos);
    put(1);
}

TEST_F(LruTest, CapacityShrinksAndZeroKeepsNothing) {
    for (const int key : {1, 2, 3}) put(key);
    const auto held = cache_.get(3, 3, [] { return value("new"); }).value;
    cache_.set_capacity(1);
    EXPECT_EQ(cache_.size(), 1u);
    EXPECT_TRUE(has(3));
    EXPECT_FALSE(has(1));
    cache_.set_capacity(0);
    EXPECT_EQ(cache_.size(), 0u);
    put(3);
    put(3);
    EXPECT_EQ(**held, "3"); // lives on with who holds it
    EXPECT_EQ(cache_.capacity(), 0u);
}

// Of weak values the cache answers those that somebody has; one that nobody has is made again.
TEST(LruOfWeakValues, ValuesGoWithTheirLastHolder) {
    static std::mutex lock;
    Lru<int, std::string, std::weak_ptr> cache(lock, 2);
    const auto get = [&](int key, const char* text) { return cache.get(key, 0, [&] { return value(text); }); };
    auto held = get(1, "one").value;
    EXPECT_TRUE(get(1, "other").hit);
    EXPECT_EQ(get(1, "other").value.value(), held.value());
    EXPECT_FALSE(get(2, "gone at once").hit);
    EXPECT_FALSE(get(2, "made again").hit);
    EXPECT_EQ(cache.size(), 2u);
    held = unimplemented("nobody has it");
    EXPECT_FALSE(get(1, "again").hit);
    get(3, "three"); // the least recently asked name leaves
    EXPECT_EQ(cache.size(), 2u);
}

// A value that asks the cache while it is destroyed would wait for ever on a lock that is held for it.
TEST(LruDestruction, ValuesAreDestroyedWithoutTheLock) {
    static std::mutex lock;
    struct Value {
        ~Value() {
            EXPECT_TRUE(lock.try_lock());
            lock.unlock();
        }
    };
    Lru<int, Value> cache(lock, 1);
    const auto make = [] { return std::make_shared<const Value>(); };
    for (int key = 0; key < 3; ++key) cache.get(key, 0, make);
    cache.set_capacity(0);
}

TEST_F(LruTest, OthersWaitForTheOneWhoMakes) {
    constexpr int threads = 6;
    std::latch start(threads);
    std::atomic<int> made{0}, misses{0}, wrong{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
        all.emplace_back([&] {
            start.arrive_and_wait();
            const auto answer = cache_.get(1, 1, [&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                ++made;
                return value("one");
            });
            misses += !answer.hit;
            wrong += !answer.value || **answer.value != "one";
        });
    for (std::thread& t : all) t.join();
    EXPECT_EQ(made, 1);
    EXPECT_EQ(misses, 1);
    EXPECT_EQ(wrong, 0);
}

TEST_F(LruTest, WhoWaitsIsToldOfAFailure) {
    bool waited = false;
    for (int attempt = 0; attempt < 200 && !waited; ++attempt) { // a busy machine may start the other one late
        std::latch making(1);
        std::thread other([&] {
            making.wait();
            const auto answer = cache_.get(1, 1, []() -> Made { return invalid("late"); });
            waited = answer.hit;
            ASSERT_FALSE(answer.value);
            EXPECT_EQ(answer.value.error().reason, answer.hit ? "refused" : "late");
        });
        const auto answer = cache_.get(1, 1, [&]() -> Made {
            making.count_down();
            std::this_thread::sleep_for(std::chrono::milliseconds(5)); // until the other one waits
            return invalid("refused");
        });
        other.join();
        EXPECT_FALSE(answer.value);
    }
    EXPECT_TRUE(waited);
}

// An entry leaves while it is made, and another of the same key takes its place: the first maker must not touch it.
TEST_F(LruTest, AnEntryIsFinishedByWhoBeganIt) {
    std::latch began(1), second(1), finish(1);
    std::thread slow([&] {
        cache_.get(1, 1, [&] {
            began.count_down();
            finish.wait();
            return value("slow");
        });
    });
    began.wait();
    cache_.set_capacity(0); // its entry leaves
    cache_.set_capacity(3);
    std::thread quick([&] {
        cache_.get(1, 1, [&] {
            second.count_down();
            slow.join(); // the slow one ends in the middle
            return value("quick");
        });
    });
    second.wait();
    finish.count_down();
    quick.join();
    const auto answer = cache_.get(1, 1, [] { return value("neither"); });
    EXPECT_TRUE(answer.hit);
    EXPECT_EQ(**answer.value, "quick");

    // And a failure of the slow one must not take the quick one's entry away.
    std::latch began_again(1), third(1), fail(1);
    std::thread fails([&] {
        cache_.get(2, 2, [&]() -> Made {
            began_again.count_down();
            fail.wait();
            return invalid("slow and wrong");
        });
    });
    began_again.wait();
    cache_.set_capacity(0);
    cache_.set_capacity(3);
    std::thread makes([&] {
        cache_.get(2, 2, [&] {
            third.count_down();
            fails.join();
            return value("quick");
        });
    });
    third.wait();
    fail.count_down();
    makes.join();
    EXPECT_TRUE(has(2));
}

// What is being made stays, whoever it belongs to: its maker, and those that wait, are told of it. What is there goes.
TEST_F(LruTest, ErasingLeavesWhatIsBeingMade) {
    for (const int key : {2, 3}) put(key);
    std::latch began(1), finish(1);
    std::thread slow([&] {
        EXPECT_FALSE(cache_
                         .get(1, 1,
                              [&] {
                                  began.count_down();
                                  finish.wait();
                                  return value("slow");
                              })
                         .hit);
    });
    began.wait();
    cache_.erase_if([](int key) { return key != 3; });
    EXPECT_EQ(cache_.size(), 2u); // without 2
    std::atomic<bool> asked{false};
    std::thread waits([&] {
        asked = true;
        const auto answer = cache_.get(1, 1, [] { return value("another"); });
        EXPECT_TRUE(answer.hit);
        EXPECT_EQ(**answer.value, "slow");
    });
    while (!asked) std::this_thread::yield();
    finish.count_down();
    slow.join();
    waits.join();
    EXPECT_TRUE(has(1));
    EXPECT_TRUE(has(3));
    EXPECT_FALSE(has(2));
    cache_.erase_if([](int) { return true; });
    EXPECT_EQ(cache_.size(), 0u);
}

// Threads that begin to wait in the moment in which a value is set: none of them sleeps for ever.
TEST(PendingTest, WhoBeginsToWaitIsWoken) {
    alarm(60); // ends a process that hangs
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    std::atomic<int> waiting{-1}, wrong{0}, nothing{0};
    constexpr int most = 100000;
    std::vector<std::unique_ptr<Pending<std::unique_ptr<int>>>> values;
    for (int i = 0; i < most; ++i) values.push_back(std::make_unique<Pending<std::unique_ptr<int>>>());
    std::thread waits([&] {
        for (int i = 0; i < most; ++i) {
            waiting = i;
            const int got = *values[size_t(i)]->wait();
            if (got < 0) return;
            wrong += got != i;
        }
    });
    for (int i = 0; i < most; ++i) {
        while (waiting < i) std::this_thread::yield();
        for (int spin = i % 997 * 3; spin > 0; --spin) (void)nothing.load(); // up to some microseconds
        const bool last = std::chrono::steady_clock::now() > end;
        values[size_t(i)]->set(std::make_unique<int>(last ? -1 : i));
        if (last) break;
    }
    waits.join();
    alarm(0);
    EXPECT_EQ(wrong, 0);
}

// In a child of fork() the other makers are not there.
TEST_F(LruTest, UnfinishedEntriesCanBeForgotten) {
    put(2);
    std::latch began(1), finish(1);
    std::thread slow([&] {
        cache_.get(1, 1, [&] {
            began.count_down();
            finish.wait();
            return value("slow");
        });
    });
    began.wait();
    {
        const std::lock_guard guard(lock_);
        cache_.forget_unfinished();
    }
    EXPECT_EQ(cache_.size(), 1u);
    put(1); // nobody is waited for
    EXPECT_TRUE(has(2));
    finish.count_down();
    slow.join();
    EXPECT_EQ(**cache_.get(1, 1, [] { return value("new"); }).value, "1");
}

} // namespace
} // namespace tessera
