// SPDX-License-Identifier: Apache-2.0
// What the program writes in the place of older files: modes, owners and links stay, and a sidecar belongs to the data
// that it was written with.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/layout_sidecar.hpp"
#include "files/npy.hpp"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

class WrittenFiles : public ::testing::Test {
protected:
    void SetUp() override {
        std::string folder = (fs::temp_directory_path() / "written_files_XXXXXX").string();
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        folder_ = folder;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string put(const std::string& name, const std::string& text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }
    static std::string content(const std::string& name) {
        std::ifstream file(name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static struct stat facts(const std::string& name) {
        struct stat result {};
        EXPECT_EQ(::lstat(name.c_str(), &result), 0) << name;
        return result;
    }
    static mode_t mode(const std::string& name) { return facts(name).st_mode & 07777; }
    size_t count() const { return size_t(std::distance(fs::directory_iterator(folder_), fs::directory_iterator())); }

    // Four elements with this bit pattern; of bf16 with a sidecar, of u8 without.
    static void write(const std::string& name, DataType type, char bits) {
        const int64_t bytes = bytes_of(type, 4);
        auto writer = NpyWriter::create(name, {{4}, type, {1}, ""}, bytes);
        ASSERT_TRUE(writer) << writer.error().reason;
        std::memset(writer->data(), bits, size_t(bytes));
        const auto done = writer->commit();
        ASSERT_TRUE(done) << done.error().reason;
    }
    static std::string answer(const std::string& name) {
        const auto reader = NpyReader::open(name);
        return reader ? std::string(tessera::name(reader->layout().type)) : reader.error().reason;
    }

    fs::path folder_;
};

TEST_F(WrittenFiles, keep_their_mode) {
    const mode_t mask = ::umask(022);
    for (const mode_t kept : {0600, 0640, 0664, 0755}) {
        const std::string file = put("a.npy", "old"), beside = put("a.npy.layout.json", "old");
        ::chmod(file.c_str(), kept), ::chmod(beside.c_str(), kept);
        write(file, DataType::bf16, 1);
        EXPECT_EQ(mode(file), kept);
        EXPECT_EQ(mode(beside), kept);
        EXPECT_EQ(answer(file), "bf16");
    }
    write(path("new.npy"), DataType::u8, 1);
    EXPECT_EQ(mode(path("new.npy")), mode_t(0644)); // as the umask says
    ::umask(mask);
}

TEST_F(WrittenFiles, keep_their_owner) {
    if (::getuid() != 0) GTEST_SKIP() << "only root gives files away";
    const std::string file = put("a.npy", "old");
    ASSERT_EQ(::chown(file.c_str(), 1234, 2345), 0);
    write(file, DataType::u8, 1);
    EXPECT_EQ(facts(file).st_uid, 1234u);
    EXPECT_EQ(facts(file).st_gid, 2345u);
}

TEST_F(WrittenFiles, are_written_behind_links) {
    fs::create_directories(path("store"));
    for (const char* target : {"store/real.npy", "store/new.npy", "chain"}) { // of what is there, and what is not yet
        put("store/real.npy", "old");
        fs::remove(path("chain"));
        fs::create_symlink(path("store/real.npy"), path("chain"));
        fs::remove(path("a.npy"));
        fs::create_symlink(target, path("a.npy"));
        write(path("a.npy"), DataType::u8, 7);
        EXPECT_TRUE(fs::is_symlink(path("a.npy"))) << target;
        EXPECT_TRUE(fs::is_symlink(path("chain"))) << target;
        EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(fs::canonical(path("a.npy"))))) << target;
        EXPECT_EQ(answer(path(target)), "u8") << target;
    }
    EXPECT_EQ(count(), 3u);
    // A sidecar behind a link, too.
    put("store/beside", "old");
    fs::create_symlink("store/beside", path("a.npy.layout.json"));
    write(path("a.npy"), DataType::bf16, 7);
    EXPECT_TRUE(fs::is_symlink(path("a.npy.layout.json")));
    EXPECT_EQ(answer(path("a.npy")), "bf16");
    EXPECT_EQ(size_t(std::distance(fs::directory_iterator(path("store")), fs::directory_iterator())), 3u);
}

TEST_F(WrittenFiles, keep_all_their_names) {
    for (const char* old :
         {"short", "longer than what is written in its place, so that the rest of it has to go: "
                   "a header of 128 bytes and four elements, which do not reach as far as this text, "
                   "of 240 bytes and more. . . . . . . . . . . . . . . . . . . . . . . . . . . . . ."}) {
        fs::remove(path("b.npy")), fs::remove(path("b.npy.layout.json"));
        const std::string file = put("a.npy", old), beside = put("a.npy.layout.json", old);
        ::chmod(file.c_str(), 0640);
        fs::create_hard_link(file, path("b.npy"));
        fs::create_hard_link(beside, path("b.npy.layout.json"));
        write(file, DataType::bf16, 3);
        EXPECT_EQ(facts(file).st_nlink, 2u);
        EXPECT_EQ(facts(beside).st_nlink, 2u);
        EXPECT_EQ(mode(file), mode_t(0640));
        EXPECT_EQ(content(file), content(path("b.npy")));
        EXPECT_EQ(answer(path("b.npy")), "bf16");
        EXPECT_EQ(count(), 4u);
    }
    // A layout without a sidecar: the old one goes, under this name.
    write(path("a.npy"), DataType::u8, 3);
    EXPECT_EQ(answer(path("a.npy")), "u8");
    EXPECT_EQ(count(), 3u);
}

TEST_F(WrittenFiles, a_sidecar_of_other_data_is_refused) {
    const std::string file = path("a.npy");
    write(file, DataType::bf16, 1);
    const std::string text = content(path("a.npy.layout.json")), first = content(file);
    std::string other = first;
    other.back() = 2; // an array of uint16 that NumPy writes over it
    put("a.npy", other);
    EXPECT_EQ(answer(file), file + ": the data are not those that " + file +
                                ".layout.json was written with; remove it if an older file left it behind, or its "
                                "\"checksum\" if the data were changed on purpose");
    // The same data are the same, under another name too; a sidecar by hand names no data.
    put("a.npy", first);
    EXPECT_EQ(answer(file), "bf16");
    put("b.npy", first), put("b.npy.layout.json", text);
    EXPECT_EQ(answer(path("b.npy")), "bf16");
    put("a.npy", other), put("a.npy.layout.json", R"({"type": "bf16"})");
    EXPECT_EQ(answer(file), "bf16");
    for (const char* wrong : {"3", "\"12\"", "\"0123456789abcdeg\"", "\"00123456789abcdef\"", "\"+123456789abcdef\""}) {
        put("a.npy.layout.json", fmt::format(R"({{"type": "bf16", "checksum": {}}})", wrong));
        EXPECT_NE(answer(file).find("16 hexadecimal digits"), std::string::npos) << wrong;
    }
}

// Every bit counts, and how many bytes there are.
TEST_F(WrittenFiles, checksums_differ) {
    std::set<uint64_t> seen;
    size_t all = 0;
    for (const size_t size : {0, 1, 8, 31, 32, 33, 63, 64, 65, 100}) {
        std::string data(size, '\0');
        seen.insert(checksum_of(data)), ++all;
        for (size_t bit = 0; bit < 8 * size; ++bit, ++all) {
            data[bit / 8] ^= char(1 << bit % 8);
            seen.insert(checksum_of(data));
            data[bit / 8] ^= char(1 << bit % 8);
        }
    }
    EXPECT_EQ(seen.size(), all);
}

} // namespace
} // namespace tessera::testing
