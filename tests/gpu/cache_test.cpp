// SPDX-License-Identifier: Apache-2.0
// Kernels on disk (TESSERA_OPENCL_CACHE): compiled once for all processes, and compiled anew where what is on disk
// cannot be used. Each process is a child of this one, which never uses OpenCL itself.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_work.hpp"
#include "faulty_opencl.hpp"
#include "oneapi/dnnl/dnnl.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

struct Seen {
    size_t bytes;
    unsigned char result[4096];
    int64_t compiled, from_disk;
};

class KernelsOnDisk : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / ("tessera-kernels-" + std::to_string(getpid()));
        fs::remove_all(folder);
        seen =
            static_cast<Seen*>(mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
        ASSERT_NE(seen, MAP_FAILED);
        setenv("TESSERA_OPENCL_CACHE", folder.c_str(), 1);
        if (in_child([] { return dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0; })) GTEST_SKIP() << "no device";
        setenv("TESSERA_OPENCL_CACHE", "off", 1);
        ASSERT_TRUE(works());
        right.assign(seen->result, seen->result + seen->bytes);
        ASSERT_FALSE(right.empty());
        ASSERT_FALSE(fs::exists(folder));
        setenv("TESSERA_OPENCL_CACHE", folder.c_str(), 1);
    }
    void TearDown() override {
        fs::remove_all(folder);
        munmap(seen, sizeof(Seen));
    }
    static pid_t start(const std::function<int()>& body) {
        const pid_t pid = fork();
        if (pid) return pid;
        alarm(300); // hangs end; a sanitizer makes compilers slow
        dnnl_set_verbose(0);
        _exit(body());
    }
    static int end(pid_t pid) {
        int status = 0;
        waitpid(pid, &status, 0);
        return status;
    }
    static int in_child(const std::function<int()>& body) { return end(start(body)); }
    std::function<int()> body(const Fault& fault) const {
        return [this, fault] {
            plan_fault(fault);
            const auto result = device_work().back().run();
            auto all = calls();
            seen->compiled = all["clCreateProgramWithSource"], seen->from_disk = all["clCreateProgramWithBinary"];
            if (right.empty()) {
                seen->bytes = result.size();
                std::memcpy(seen->result, result.data(), std::min(result.size(), sizeof seen->result));
                return 0;
            }
            return result == right ? 0 : 1;
        };
    }
    // Whether a process computes what it should; `seen` has how.
    bool works(const Fault& fault = {.function = "none"}) const {
        seen->compiled = seen->from_disk = -1;
        return in_child(body(fault)) == 0;
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        if (fs::exists(folder))
            for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
        return all;
    }
    fs::path folder;
    Seen* seen = nullptr;
    std::vector<unsigned char> right;
};

} // namespace

TEST_F(KernelsOnDisk, AreCompiledOnce) {
    ASSERT_TRUE(works());
    EXPECT_GT(seen->compiled, 0);
    EXPECT_EQ(files().size(), size_t(seen->compiled));
    ASSERT_TRUE(works());
    EXPECT_EQ(seen->compiled, 0);
    EXPECT_GT(seen->from_disk, 0);
    const auto access = fs::status(folder).permissions();
    EXPECT_EQ(access & (fs::perms::group_all | fs::perms::others_all), fs::perms::none); // what is there runs here
}

// Each keeps its own: the code of one may run on the other and compute something else.
TEST_F(KernelsOnDisk, OfAnotherDriverAreLeftAlone) {
    ASSERT_TRUE(works());
    pretend_driver("another");
    ASSERT_TRUE(works());
    EXPECT_GT(seen->compiled, 0);
    EXPECT_EQ(seen->from_disk, 0);
    for (const char* driver : {"another", ""}) {
        pretend_driver(driver);
        ASSERT_TRUE(works());
        EXPECT_EQ(seen->compiled, 0) << driver;
    }
}

// The same device by other facts: kernels of one row of facts are not those of another.
TEST_F(KernelsOnDisk, OfOtherFactsAreOthers) {
    ASSERT_TRUE(works());
    for (const char* facts :
         {"lanes=64,units=4,local_bytes=32768,vector_floats=1", "lanes=16,units=2", "lanes=64,units=4"}) {
        setenv("TESSERA_DEVICE", facts, 1);
        EXPECT_TRUE(works()) << facts; // those that do not depend on what is different are found
        EXPECT_TRUE(works()) << facts;
        EXPECT_EQ(seen->compiled, 0) << facts;
        unsetenv("TESSERA_DEVICE");
        EXPECT_TRUE(works()) << "after " << facts;
        EXPECT_EQ(seen->compiled, 0) << "after " << facts;
    }
}

TEST_F(KernelsOnDisk, DamageIsRepaired) {
    ASSERT_TRUE(works());
    const auto damages = {
        +[](std::string& bytes) { bytes.clear(); },
        +[](std::string& bytes) { bytes.resize(bytes.size() / 2); },
        +[](std::string& bytes) { bytes[bytes.size() / 2] ^= 4; },
        +[](std::string& bytes) { bytes[0] ^= 4; },
        +[](std::string& bytes) { bytes += "more"; },
        +[](std::string& bytes) { bytes.assign(10'000, '\xff'); },
    };
    int number = 0;
    for (const auto damage : damages) {
        for (const fs::path& path : files()) {
            std::ifstream from(path, std::ios::binary);
            std::string bytes{std::istreambuf_iterator<char>(from), {}};
            damage(bytes);
            std::ofstream(path, std::ios::binary) << bytes;
        }
        ASSERT_TRUE(works()) << number;
        EXPECT_GT(seen->compiled, 0) << number;
        ASSERT_TRUE(works()) << number;
        EXPECT_EQ(seen->compiled, 0) << number++;
    }
}

TEST_F(KernelsOnDisk, DriversThatRefuseThemCompile) {
    ASSERT_TRUE(works());
    for (const char* function : {"clCreateProgramWithBinary", "clBuildProgram"})
        for (const cl_int error : {CL_INVALID_BINARY, CL_OUT_OF_HOST_MEMORY}) {
            ASSERT_TRUE(works({function, 0, error})) << function;
            EXPECT_GT(seen->compiled, 0) << function;
        }
    // And one that does not hand them out has none on disk.
    fs::remove_all(folder);
    ASSERT_TRUE(works({"clGetProgramInfo", 0, CL_OUT_OF_RESOURCES, true}));
    EXPECT_TRUE(files().empty());
}

TEST_F(KernelsOnDisk, PlacesThatCannotBeWrittenAreLeftAlone) {
    std::ofstream(folder.string()) << "a file";
    for (const std::string& place : {folder.string(), folder.string() + "/below", std::string("/proc/tessera")}) {
        setenv("TESSERA_OPENCL_CACHE", place.c_str(), 1);
        ASSERT_TRUE(works()) << place;
        EXPECT_GT(seen->compiled, 0) << place;
    }
    EXPECT_TRUE(fs::is_regular_file(folder));
}

TEST_F(KernelsOnDisk, ProcessesShareAFolder) {
    std::vector<pid_t> all;
    for (int i = 0; i < 6; ++i) all.push_back(start(body({.function = "none"})));
    for (const pid_t pid : all) EXPECT_EQ(end(pid), 0);
    for (const fs::path& path : files()) EXPECT_EQ(path.extension(), ".bin") << "left over";
    ASSERT_TRUE(works());
    EXPECT_EQ(seen->compiled, 0);
}

TEST_F(KernelsOnDisk, LieWithOtherCachesUnlessToldOtherwise) {
    unsetenv("TESSERA_OPENCL_CACHE");
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    ASSERT_TRUE(works());
    EXPECT_TRUE(fs::exists(folder / "tessera" / "opencl"));
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", (folder / "home").c_str(), 1);
    ASSERT_TRUE(works());
    EXPECT_TRUE(fs::exists(folder / "home" / ".cache" / "tessera" / "opencl"));
}

} // namespace tessera::test
