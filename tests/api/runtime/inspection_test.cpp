// SPDX-License-Identifier: Apache-2.0
// Who is told about generated code: files of the dump, perf's map, perf's jitdump; and VTune, which is not built in.
// covers: JIT-01 JIT-02 API-154 API-155 API-156
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../c_objects.hpp"

namespace tessera::test {
namespace {

namespace files = std::filesystem;

const bool prepared = [] { return setenv("ONEDNN_VERBOSE", "warn", 1) == 0; }();

bool generates() { return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2; }

struct Folder {
    files::path path;
    Folder() {
        std::string name = files::temp_directory_path() / "tessera.XXXXXX";
        path = mkdtemp(name.data());
    }
    ~Folder() { files::remove_all(path); }
};

std::string read_all(const files::path& path) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<files::path> with_extension(const files::path& folder, const std::string& extension) {
    std::vector<files::path> found;
    for (const auto& entry : files::recursive_directory_iterator(folder))
        if (entry.path().extension() == extension) found.push_back(entry.path());
    return found;
}

// Programs are keys of kernels: another scale is another one.
void generate(float scale) {
    PostOps chain;
    ASSERT_EQ(dnnl_post_ops_append_sum(chain, scale, 0, dnnl_data_type_undef), dnnl_success);
    Attr attr;
    ASSERT_EQ(dnnl_primitive_attr_set_post_ops(attr, chain), dnnl_success);
    const Desc md({3, 1000}, dnnl_f32, dnnl_ab);
    PrimitiveDesc pd;
    ASSERT_EQ(make_reorder(pd, md, md, attr), dnnl_success);
    const Primitive primitive(pd);
}

struct Loaded {
    uint32_t pid;
    uint64_t address, index;
    std::string name, code;
};

struct Jitdump {
    uint32_t pid = 0;
    uint64_t time = 0, flags = 0;
    std::vector<Loaded> functions;
};

// Field by field, as `perf inject` reads it.
Jitdump parse(const std::string& bytes) {
    size_t at = 0;
    const auto number = [&](size_t size) {
        uint64_t value = 0;
        if (at + size <= bytes.size()) std::memcpy(&value, bytes.data() + at, size);
        at += size;
        return value;
    };
    Jitdump dump;
    EXPECT_EQ(number(4), 0x4a695444u);
    EXPECT_EQ(number(4), 1u) << "version";
    EXPECT_EQ(number(4), 40u) << "bytes of the header";
    EXPECT_EQ(number(4), 62u) << "x86-64";
    number(4);
    dump.pid = uint32_t(number(4));
    dump.time = number(8);
    dump.flags = number(8);
    uint64_t before = dump.time;
    while (at < bytes.size()) {
        const size_t begin = at;
        EXPECT_EQ(number(4), 0u) << "a function is loaded";
        const size_t size = number(4);
        const uint64_t time = number(8);
        EXPECT_GE(time, before);
        before = time;
        Loaded f;
        f.pid = uint32_t(number(4));
        EXPECT_NE(number(4), 0u) << "thread";
        f.address = number(8);
        EXPECT_EQ(number(8), f.address);
        const uint64_t length = number(8);
        f.index = number(8);
        f.name = bytes.c_str() + std::min(at, bytes.size());
        at += f.name.size() + 1;
        EXPECT_EQ(at + length, begin + size);
        if (at + length != begin + size || begin + size > bytes.size()) break;
        f.code = bytes.substr(at, length);
        at += length;
        dump.functions.push_back(f);
    }
    EXPECT_EQ(at, bytes.size());
    return dump;
}

bool mapped_executable(const std::string& path) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(path) != std::string::npos && line.find("r-xp") != std::string::npos) return true;
    return false;
}

TEST(Inspection, Dump) {
    if (!generates()) GTEST_SKIP() << "no code is generated on this machine";
    const Folder folder;
    const files::path before = files::current_path();
    files::current_path(folder.path);
    generate(1.5f);
    EXPECT_TRUE(files::is_empty(folder.path));
    ASSERT_EQ(dnnl_set_jit_dump(1), dnnl_success);
    generate(2.5f);
    ASSERT_EQ(dnnl_set_jit_dump(0), dnnl_success);
    generate(3.5f);
    files::current_path(before);
    const auto dumped = with_extension(folder.path, ".bin");
    ASSERT_EQ(dumped.size(), 1u);
    EXPECT_TRUE(dumped[0].filename().string().starts_with("dnnl_dump_cpu_"));
    EXPECT_NE(read_all(dumped[0]).find('\xc3'), std::string::npos) << "ret";
}

TEST(Inspection, Jitdump) {
    const std::string map_path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
    std::remove(map_path.c_str()); // of an earlier process with this number
    if (!generates()) GTEST_SKIP() << "no code is generated on this machine";
    const Folder folder, other;
    ASSERT_EQ(dnnl_set_jit_profiling_jitdumpdir(folder.path.c_str()), dnnl_success);
    generate(4.5f);
    EXPECT_TRUE(files::is_empty(folder.path)) << "nobody has asked yet";
    ASSERT_EQ(dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_PERF), dnnl_success);
    generate(5.5f);
    generate(5.5f); // the same kernel is not told twice
    generate(6.5f);
    // A child has its own file, in the directory that is set by then, here with counts of the time stamp counter.
    const pid_t child = fork();
    if (child == 0) {
        dnnl_set_jit_profiling_jitdumpdir(other.path.c_str());
        dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_JITDUMP | DNNL_JIT_PROFILE_LINUX_JITDUMP_USE_TSC);
        generate(7.5f);
        _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_EQ(dnnl_set_jit_profiling_flags(0), dnnl_success);
    generate(8.5f);
    ASSERT_EQ(dnnl_set_jit_profiling_jitdumpdir(nullptr), dnnl_success);

    const auto own = with_extension(folder.path, ".dump"), its = with_extension(other.path, ".dump");
    ASSERT_EQ(own.size(), 1u);
    ASSERT_EQ(its.size(), 1u);
    EXPECT_EQ(own[0].filename(), "jit-" + std::to_string(getpid()) + ".dump");
    EXPECT_EQ(own[0].parent_path().parent_path(), folder.path / ".debug/jit");
    EXPECT_TRUE(mapped_executable(own[0])) << "perf notices the file by its mapping";
    const Jitdump dump = parse(read_all(own[0]));
    EXPECT_EQ(dump.pid, uint32_t(getpid()));
    EXPECT_EQ(dump.flags, 0u);
    ASSERT_EQ(dump.functions.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
        const Loaded& f = dump.functions[i];
        EXPECT_EQ(f.pid, dump.pid);
        EXPECT_EQ(f.index, i);
        EXPECT_FALSE(f.name.empty());
        EXPECT_NE(f.code.find('\xc3'), std::string::npos) << "ret";
    }
    const std::string map = read_all(map_path);
    std::remove(map_path.c_str());
    EXPECT_EQ(std::count(map.begin(), map.end(), '\n'), 2);
    for (const Loaded& f : dump.functions) EXPECT_NE(map.find(f.name), std::string::npos);

    const Jitdump its_dump = parse(read_all(its[0]));
    EXPECT_EQ(its_dump.pid, uint32_t(child));
    EXPECT_EQ(its_dump.flags, 1u);
    EXPECT_EQ(its_dump.functions.size(), 1u);
}

// Who asks for what cannot be done reads why, and what can.
TEST(Inspection, Warnings) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_VTUNE), dnnl_success);
    EXPECT_EQ(dnnl_set_jit_profiling_flags(0), dnnl_success);
    const std::string vtune = testing::internal::GetCapturedStdout();
    EXPECT_EQ(vtune.find("onednn_verbose,v1,common,warn,dnnl_set_jit_profiling_flags: VTune"), 0u) << vtune;
    if (!generates()) GTEST_SKIP() << "no code is generated on this machine";

    const Folder folder;
    const std::string no_folder = folder.path / "file";
    std::ofstream(no_folder) << "in the way";
    const pid_t child = fork(); // where no file is open yet
    if (child == 0) {
        testing::internal::CaptureStdout();
        dnnl_set_jit_profiling_jitdumpdir(no_folder.c_str());
        dnnl_set_jit_profiling_flags(DNNL_JIT_PROFILE_LINUX_JITDUMP);
        generate(9.5f);
        generate(10.5f); // no second warning
        const std::string text = testing::internal::GetCapturedStdout();
        const bool right = text.find("warn,jitdump: " + no_folder) != std::string::npos &&
                           std::count(text.begin(), text.end(), '\n') == 1;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace tessera::test
