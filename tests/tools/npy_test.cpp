// SPDX-License-Identifier: Apache-2.0
// .npy files: what NumPy writes is read, what is written is read back, and damaged files are refused with a reason.
// The mutation tests matter most under AddressSanitizer (TESSERA_SANITIZE): they touch what a reader hands out.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/types/convert.hpp"
#include "files/layout_sidecar.hpp"
#include "files/npy.hpp"
#include "files/npy_header.hpp"
#include "line/literal.hpp"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

class Npy : public ::testing::Test {
protected:
    void SetUp() override {
        std::string folder = (fs::temp_directory_path() / "npy_test_XXXXXX").string();
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        folder_ = folder;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string put(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename().string());
        return names;
    }
    static std::string content(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    fs::path folder_;
};

// A file of any version with this header text, padded as NumPy does.
std::string npy_file(std::string header, const std::string& data, int major = 1) {
    const size_t begin = major == 1 ? 10 : 12;
    header.resize((begin + header.size() + 1 + 63) / 64 * 64 - begin - 1, ' ');
    header += '\n';
    std::string file = "\x93NUMPY";
    file += static_cast<char>(major);
    file += '\0';
    for (size_t i = 0; i < begin - 8; ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return file + header + data;
}
std::string bytes(int64_t count) {
    std::string data;
    for (int64_t i = 0; i < count; ++i) data += static_cast<char>(i * 7 + 1);
    return data;
}
std::string refusal(const std::string& path) {
    const auto reader = NpyReader::open(path);
    return reader ? "opened" : reader.error().reason;
}
using Dims = std::vector<int64_t>;

TEST_F(Npy, every_version_and_both_orders) {
    for (int major : {1, 2, 3})
        for (bool fortran : {false, true}) {
            const std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': {}, 'shape': (2, 3, 4), }}",
                                                   fortran ? "True" : "False");
            const auto reader = NpyReader::open(put("a.npy", npy_file(header, bytes(96), major)));
            ASSERT_TRUE(reader) << reader.error().reason;
            EXPECT_EQ(reader->layout().dims, (Dims{2, 3, 4}));
            EXPECT_EQ(reader->layout().strides, fortran ? (Dims{1, 2, 6}) : (Dims{12, 4, 1}));
            EXPECT_EQ(reader->layout().type, DataType::f32);
            EXPECT_EQ(reader->bytes(), 96);
            EXPECT_EQ(std::memcmp(reader->data(), bytes(96).data(), 96), 0);
        }
}

TEST_F(Npy, dtypes_with_a_counterpart) {
    const std::pair<const char*, DataType> rows[] = {
        {"<f2", DataType::f16}, {"<f4", DataType::f32}, {"<f8", DataType::f64},  {"|i1", DataType::s8},
        {"|u1", DataType::u8},  {"<i4", DataType::s32}, {"<i8", DataType::s64},  {"|b1", DataType::boolean},
        {"=f4", DataType::f32}, {"f4", DataType::f32},  {"<V2", DataType::bf16}, {"|V2", DataType::bf16},
        {">i1", DataType::s8},
    };
    for (const auto& [descr, type] : rows) {
        const std::string header = fmt::format("{{'shape': (5,), \"descr\": '{}', 'fortran_order': False}}", descr);
        const auto reader = NpyReader::open(put("a.npy", npy_file(header, bytes(40))));
        ASSERT_TRUE(reader) << descr << reader.error().reason;
        EXPECT_EQ(reader->layout().type, type);
        EXPECT_EQ(reader->bytes(), bytes_of(type, 5));
    }
}

TEST_F(Npy, shapes_at_the_edge) {
    const auto open = [&](const std::string& shape, int64_t size) {
        return NpyReader::open(
            put("a.npy", npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", bytes(size))));
    };
    EXPECT_EQ(open("()", 4)->layout().dims, Dims{});
    EXPECT_EQ(open("(0,)", 0)->bytes(), 0);
    EXPECT_EQ(open("(3, 0, 2)", 0)->layout().strides, (Dims{2, 2, 1}));
    EXPECT_EQ(open("(3L, 2L)", 24)->layout().dims, (Dims{3, 2})); // Python 2
    EXPECT_EQ(open("(1,1,1,1,1,1,1,1,1,1,1,2)", 8)->layout().dims.size(), 12u);
    EXPECT_EQ(open("(2,)", 100)->bytes(), 8); // more data than the shape needs: NumPy reads such files too
}

TEST_F(Npy, refusals_say_what_is_wrong_and_what_helps) {
    const auto header = [](const std::string& descr, const std::string& shape = "(2, 2)") {
        return npy_file("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}", bytes(64));
    };
    const std::tuple<std::string, std::string, std::string> rows[] = {
        {header("'>f4'"), "big-endian", "newbyteorder('<')"},
        {header("[('x', '<f4'), ('y', '<i4')]"), "structured dtype with 2 fields", "np.save"},
        {header("'|O'"), "Python objects", "astype"},
        {header("'<c8'"), "'<c8'", "astype"},
        {header("'<U4'"), "'<U4'", "astype"},
        {header("'<f16'"), "'<f16'", "astype"},
        {header("'<u4'"), "'<u4'", "np.int64"},
        {header("'<i2'"), "'<i2'", "\"type\": \"bf16\""},
        {header("'<u2'"), "'<u2'", "layout.json"},
        {header("'|V1'"), "'|V1'", "\"type\": \"f8_e4m3\""},
        {header("'hello'"), "'hello'", "'<f4'"},
        {header("''"), "''", "'<f4'"},
        {header("3"), "'descr'", "'<f4'"},
        {header("'<f4'", "(9, 9)"), "[9, 9]", "truncated"},
        {header("'<f4'", "(-1,)"), "extent 0", "0 to 2^63 - 1"},
        {header("'<f4'", "(4294967296, 4294967296)"), "[4294967296, 4294967296]", "2^63 - 1"},
        {header("'<f4'", "(0, 4294967296, 4294967296)"), "[0, 4294967296, 4294967296]", "2^63 - 1"},
        {header("'<f8'", "(4611686018427387904,)"), "[4611686018427387904]", "truncated"},
        {header("'<f4'", "(99999999999999999999,)"), "extent 0", "2^63 - 1"},
        {header("'<f4'", "(1.5,)"), "extent 0", "integer"},
        {header("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1)"), "13 dims", "at most 12"},
        {header("'<f4'", "7"), "'shape'", "tuple"},
        {npy_file("{'descr': '<f4', 'shape': (2,)}", bytes(8)), "'fortran_order'", "True or False"},
        {npy_file("{'descr': '<f4', 'fortran_order': False", bytes(8)), "damaged", "expected"},
        {npy_file(std::string(100, '['), bytes(8)), "damaged", "deeper than 32"},
        {npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} 1", bytes(8)), "damaged", "nothing more"},
        {npy_file("{}", "", 4), "4.0", "1.0, 2.0 and 3.0"},
        {std::string("PK\3\4zip"), ".npz", "np.load('a.npz')['name']"},
        {"hello", "no .npy file", "np.save"},
        {std::string("\x93NUMPY\1\0", 8), "ends after 8 bytes", "header"},
        {std::string("\x93NUMPY\1\0\xff\xff{", 11), "65535", "truncated"},
        {std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13), "4294967295", "truncated"},
        {"", "empty", ""},
    };
    for (const auto& [file, wrong, help] : rows) {
        const std::string reason = refusal(put("a.npy", file));
        EXPECT_NE(reason.find(wrong), std::string::npos) << "wanted " << wrong << ": " << reason;
        EXPECT_NE(reason.find(help), std::string::npos) << "wanted " << help << ": " << reason;
        EXPECT_NE(reason.find("a.npy"), std::string::npos) << reason;
    }
    EXPECT_NE(refusal(path("absent.npy")).find("No such file"), std::string::npos);
    EXPECT_NE(refusal(folder_.string()).find("not a regular file"), std::string::npos);
}

// NumPy pads its headers; others need not, and a sidecar may widen the element.
TEST_F(Npy, unaligned_data_are_copied_and_empty_arrays_are_never_refused) {
    const auto unaligned = [](const std::string& descr, const std::string& shape, const std::string& data) {
        std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}";
        if (header.size() % 2 == 0) header += ' ';
        return std::string("\x93NUMPY\1\0", 8) + char(header.size()) + '\0' + header + data; // an odd offset
    };
    for (const auto& [descr, size] : {std::pair("<f2", 2), std::pair("<f4", 4), std::pair("<f8", 8)}) {
        const std::string data = bytes(3 * size);
        auto opened = NpyReader::open(put("a.npy", unaligned(descr, "(3,)", data)));
        ASSERT_TRUE(opened) << opened.error().reason;
        const NpyReader reader = std::move(*opened); // the copy moves along
        EXPECT_EQ(reinterpret_cast<uintptr_t>(reader.data()) % uintptr_t(size), 0u) << descr;
        ASSERT_EQ(reader.bytes(), 3 * size);
        EXPECT_EQ(std::memcmp(reader.data(), data.data(), data.size()), 0) << descr;
        for (const char* shape : {"(0,)", "(2, 0, 3)"}) {
            const auto empty = NpyReader::open(put("a.npy", unaligned(descr, shape, "")));
            ASSERT_TRUE(empty) << empty.error().reason;
            EXPECT_EQ(empty->bytes(), 0);
        }
    }
    put("a.npy.layout.json", R"({"dims": [3], "type": "f32"})");
    const auto reader = NpyReader::open(put("a.npy", unaligned("|u1", "(12,)", bytes(12))));
    ASSERT_TRUE(reader) << reader.error().reason;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(reader->data()) % 4, 0u);
    EXPECT_EQ(std::memcmp(reader->data(), bytes(12).data(), 12), 0);
}

TEST_F(Npy, header_text_is_the_one_of_numpy) {
    const std::string file = make_npy_header("<f4", false, {2, 3});
    EXPECT_EQ(file.size(), 128u);
    EXPECT_EQ(file.substr(10, 61), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  ");
    EXPECT_EQ(file.back(), '\n');
    EXPECT_NE(make_npy_header("|u1", true, {7}).find("'fortran_order': True, 'shape': (7,), }"), std::string::npos);
    EXPECT_NE(make_npy_header("|u1", false, {}).find("'shape': (), }"), std::string::npos);
}

TEST_F(Npy, everything_written_is_read_back) {
    struct Row {
        NpyLayout layout;
        int64_t bytes;
        bool sidecar;
        const char* descr;
    };
    const Row rows[] = {
        {{{2, 3}, DataType::f32, {3, 1}, ""}, 24, false, "<f4"},
        {{{2, 3}, DataType::f64, {1, 2}, ""}, 48, false, "<f8"},
        {{{}, DataType::s64, {}, ""}, 8, false, "<i8"},
        {{{0, 3}, DataType::f16, {3, 1}, ""}, 0, false, "<f2"},
        {{{5}, DataType::boolean, {1}, ""}, 5, false, "|b1"},
        {{{2, 3}, DataType::f32, {4, 1}, ""}, 28, true, "<f4"},       // rows with a gap
        {{{2, 4, 3}, DataType::s8, {12, 1, 4}, ""}, 24, true, "|i1"}, // acb
        {{{2, 17, 5, 5}, DataType::s8, {}, "aBcd16b"}, 1600, true, "|i1"},
        {{{2, 17, 5, 5}, DataType::f32, {}, "aBcd16b"}, 6400, true, "<f4"},
        {{{3, 5}, DataType::bf16, {5, 1}, ""}, 30, true, "<u2"},
        {{{3, 5}, DataType::f8_e4m3, {5, 1}, ""}, 15, true, "|u1"},
        {{{3, 5}, DataType::e8m0, {1, 3}, ""}, 15, true, "|u1"},
        {{{3, 5}, DataType::s4, {5, 1}, ""}, 8, true, "|u1"},
        {{{0}, DataType::u4, {1}, ""}, 0, true, "|u1"},
        {{{2, 2}, DataType::f4_e2m1, {}, "AB16b64a"}, 512, true, "|u1"},
    };
    for (const Row& row : rows) {
        const std::string file = path("b.npy");
        {
            auto writer = NpyWriter::create(file, row.layout, row.bytes);
            ASSERT_TRUE(writer) << writer.error().reason;
            ASSERT_EQ(writer->bytes(), row.bytes);
            ASSERT_EQ(reinterpret_cast<uintptr_t>(writer->data()) % 64, 0u);
            std::memcpy(writer->data(), bytes(row.bytes).data(), static_cast<size_t>(row.bytes));
            const auto done = writer->commit();
            ASSERT_TRUE(done) << done.error().reason;
            EXPECT_FALSE(writer->commit()); // once only
        }
        EXPECT_EQ(files(),
                  (row.sidecar ? std::set<std::string>{"b.npy", "b.npy.layout.json"} : std::set<std::string>{"b.npy"}))
            << name(row.layout.type); // the sidecar of the row before is gone
        EXPECT_NE(content(file).find(fmt::format("'descr': '{}'", row.descr)), std::string::npos) << row.descr;
        const auto reader = NpyReader::open(file);
        ASSERT_TRUE(reader) << reader.error().reason;
        EXPECT_EQ(reader->layout(), row.layout);
        ASSERT_EQ(reader->bytes(), row.bytes);
        EXPECT_EQ(std::memcmp(reader->data(), bytes(row.bytes).data(), static_cast<size_t>(row.bytes)), 0);
    }
}

TEST_F(Npy, nothing_is_left_of_a_writer_without_commit) {
    const std::string file = put("b.npy", "the old file");
    {
        auto writer = NpyWriter::create(file, {{4}, DataType::bf16, {1}, ""}, 8);
        ASSERT_TRUE(writer);
        EXPECT_EQ(files().size(), 2u);
        EXPECT_EQ(content(file), "the old file");
        NpyWriter moved = std::move(*writer);
        std::memset(moved.data(), 1, 8);
    }
    EXPECT_EQ(files(), std::set<std::string>{"b.npy"});
    EXPECT_EQ(content(file), "the old file");
}

TEST_F(Npy, a_failed_commit_leaves_nothing) {
    // The sidecar's place is taken by a folder.
    fs::create_directories(path("b.npy.layout.json/x"));
    auto writer = NpyWriter::create(path("b.npy"), {{4}, DataType::bf16, {1}, ""}, 8);
    ASSERT_TRUE(writer);
    const auto done = writer->commit();
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().reason.find("layout.json"), std::string::npos) << done.error().reason;
    writer = Refusal(Error{});
    EXPECT_EQ(files(), std::set<std::string>{"b.npy.layout.json"});
}

// An array that NumPy has, where a folder lies in the place of the sidecar of an older file.
TEST_F(Npy, a_commit_that_fails_late_leaves_the_old_file) {
    const std::string file = put("b.npy", "the old file");
    fs::create_directories(path("b.npy.layout.json/x"));
    auto writer = NpyWriter::create(file, {{4}, DataType::f32, {1}, ""}, 16);
    ASSERT_TRUE(writer);
    EXPECT_FALSE(writer->commit());
    writer = Refusal(Error{});
    EXPECT_EQ(files(), (std::set<std::string>{"b.npy", "b.npy.layout.json"}));
    EXPECT_EQ(content(file), "the old file");
}

// The name of the file is taken by a folder after the writer was made: the older sidecar comes back.
TEST_F(Npy, a_failed_commit_brings_the_old_sidecar_back) {
    const std::string file = path("b.npy");
    put("b.npy.layout.json", "the old sidecar");
    auto writer = NpyWriter::create(file, {{4}, DataType::bf16, {1}, ""}, 8);
    ASSERT_TRUE(writer);
    fs::create_directories(path("b.npy/x"));
    const auto done = writer->commit();
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().reason.find("cannot be replaced"), std::string::npos) << done.error().reason;
    writer = Refusal(Error{});
    EXPECT_EQ(files(), (std::set<std::string>{"b.npy", "b.npy.layout.json"}));
    EXPECT_EQ(content(path("b.npy.layout.json")), "the old sidecar");
}

TEST_F(Npy, writers_that_cannot_be) {
    const auto refused = [&](const std::string& file, const NpyLayout& layout, int64_t bytes) {
        const auto writer = NpyWriter::create(file, layout, bytes);
        return writer ? std::string("created") : writer.error().reason;
    };
    const NpyLayout good{{4}, DataType::f32, {1}, ""};
    const std::string file = path("b.npy");
    EXPECT_NE(refused(path("no/such/folder.npy"), good, 16).find("No such file"), std::string::npos);
    EXPECT_NE(refused(folder_.string(), good, 16).find("not a regular file"), std::string::npos);
    EXPECT_EQ(refused("/dev/null", good, 16), "created"); // a stream, which has no place for a sidecar
    EXPECT_NE(refused("/dev/null", {{2, 3}, DataType::bf16, {3, 1}, ""}, 12).find("sidecar"), std::string::npos);
    EXPECT_NE(refused("/dev/null", {{2, 17}, DataType::f32, {}, "aB16b"}, 256).find("aB16b"), std::string::npos);
    EXPECT_NE(refused(file, good, 15).find("do not hold"), std::string::npos);
    EXPECT_NE(refused(file, good, -1).find("do not hold"), std::string::npos);
    EXPECT_NE(refused(file, good, INT64_MAX).find("than a file can have"), std::string::npos);
    EXPECT_NE(refused(file, good, INT64_MAX / 4).find("no room"), std::string::npos);
    EXPECT_NE(refused(file, {{4}, DataType::undef, {1}, ""}, 16).find("no data type"), std::string::npos);
    EXPECT_NE(refused(file, {{4}, DataType::f32, {}, ""}, 16).find("1 dim with 0 strides"), std::string::npos);
    EXPECT_NE(refused(file, {{4}, DataType::f32, {-1}, ""}, 16).find("negative"), std::string::npos);
    EXPECT_NE(refused(file, {{-4}, DataType::f32, {1}, ""}, 16).find("negative"), std::string::npos);
    EXPECT_NE(refused(file, {{4, INT64_MAX}, DataType::f32, {1, 1}, ""}, 16).find("2^63"), std::string::npos);
    EXPECT_NE(refused(file, {{2}, DataType::f32, {INT64_MAX}, ""}, 16).find("2^63"), std::string::npos);
    EXPECT_NE(refused(file, {{2}, DataType::f32, {1}, "a"}, 16).find("one of them"), std::string::npos);
    EXPECT_TRUE(files().empty());
}

TEST_F(Npy, sidecars_written_by_hand) {
    const std::string u2 = npy_file("{'descr': '<u2', 'fortran_order': True, 'shape': (3, 4)}", bytes(24));
    const std::string flat = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (24,)}", bytes(24));
    const auto open = [&](const std::string& file, const std::string& sidecar) {
        put("a.npy.layout.json", sidecar);
        return NpyReader::open(put("a.npy", file));
    };
    const auto typed = open(u2, "{\n \"type\": \"bf16\", \"note\": null, \"version\": 1.5}");
    ASSERT_TRUE(typed) << typed.error().reason;
    EXPECT_EQ(typed->layout(), (NpyLayout{{3, 4}, DataType::bf16, {1, 3}, ""}));
    EXPECT_EQ(open(flat, R"({"type": "f16", "dims": [3, 4]})")->layout().strides, (Dims{4, 1}));
    EXPECT_EQ(open(flat, R"({"type": "s4", "dims": [6, 8], "strides": [8, 1]})")->layout().type, DataType::s4);
    EXPECT_EQ(open(flat, R"({"dims": [2, 3], "strides": [0, 8]})")->layout().strides, (Dims{0, 8}));

    const std::pair<const char*, const char*> rows[] = {
        {R"({"type": "bf16"})", "an element of '|u1' has 1 byte"},
        {R"({"type": "bfloat16"})", "name of a data type"},
        {R"({"type": 3})", "name of a data type"},
        {R"({"type": "f16", "tag": "ab"})", "give both"},
        {R"({"type": "f16", "tag": 3, "dims": [1]})", "not a string"},
        {R"({"type": "f16", "dims": [3, 5]})", "needs 15 elements of f16"},
        {R"({"type": "f16", "dims": [3, 4], "strides": [5, 1]})", "needs 14 elements of f16"},
        {R"({"type": "f16", "dims": [3, 4], "strides": [4]})", "1 entry, \"dims\" 2"},
        {R"({"type": "f16", "dims": [3, -4]})", "entry 1 of \"dims\""},
        {R"({"type": "f16", "dims": [3, 4], "strides": [4611686018427387904, 4611686018427387904]})", "2^63 - 1"},
        {R"({"type": "f16", "dims": [4611686018427387904, 4]})", "2^63 - 1"},
        {R"({"type": "s8", "dims": [2, 17], "tag": "aB16b"})", "needs 34 elements"},
        {R"({"type": "s8", "dims": 3})", "not a list"},
        {R"([1, 2])", "not an object"},
        {R"({"type": "f16")", "comma"},
        {"", "empty"},
    };
    for (const auto& [sidecar, wrong] : rows) {
        const auto reader = open(flat, sidecar);
        ASSERT_FALSE(reader) << sidecar;
        EXPECT_NE(reader.error().reason.find(wrong), std::string::npos) << sidecar << ": " << reader.error().reason;
        EXPECT_NE(reader.error().reason.find("a.npy"), std::string::npos) << reader.error().reason;
    }
    const auto shaped = open(u2, R"({"type": "bf16", "dims": [12]})");
    ASSERT_FALSE(shaped);
    EXPECT_NE(shaped.error().reason.find("has to be 1-D"), std::string::npos) << shaped.error().reason;
}

TEST_F(Npy, literals) {
    EXPECT_EQ(parse_literal(R"({'a': "it's", "b": [1, -2,], 'a': (True, false)})")->find("a")->items[0].boolean, true);
    EXPECT_EQ(parse_literal(json_string(R"(quote " and \)"))->string, R"(quote " and \)");
    EXPECT_EQ(parse_literal("9223372036854775807")->integer, INT64_MAX);
    EXPECT_EQ(parse_literal("9223372036854775808")->kind, Literal::Kind::other);
    for (const char* text : {"", "{", "[1 2]", "{1: 2}", "{'a' 2}", "'a", "(1,,2)", "]", "1 1", "'\\"})
        EXPECT_FALSE(parse_literal(text)) << text;
}

// Replaces, inserts, removes, doubles and truncates. Half of the bytes put in are ones that mean something.
std::string mutated(std::string text, std::mt19937& random) {
    constexpr std::string_view meaningful = "{}[]()'\",:<>=|-0123456789.eLTFfiubVO\\\n \x93\xff";
    for (int changes = 1 + static_cast<int>(random() % 4); changes > 0 && !text.empty(); --changes) {
        const size_t at = random() % text.size(), length = 1 + random() % 8;
        const char c = random() % 2 ? meaningful[random() % meaningful.size()] : static_cast<char>(random());
        switch (random() % 6) {
        case 0:
        case 1:
            text[at] = c;
            break;
        case 2:
            text.insert(at, 1, c);
            break;
        case 3:
            text.erase(at, length);
            break;
        case 4:
            text.insert(at, text.substr(at, length));
            break;
        default:
            if (random() % 4 == 0) text.resize(at);
        }
    }
    return text;
}

TEST_F(Npy, mutated_headers_are_parsed_or_refused) {
    std::mt19937 random(1);
    const std::string seeds[] = {
        npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", bytes(24)),
        npy_file("{'descr': '|i1', 'fortran_order': True, 'shape': (24,), }", bytes(24), 2),
        npy_file("{'descr': [('x', '<f4', (2,))], 'fortran_order': False, 'shape': (), }", bytes(24), 3),
    };
    int parsed = 0;
    for (int round = 0; round < 60'000; ++round) {
        const std::string text = mutated(seeds[round % 3], random);
        const std::vector<char> exact(text.begin(), text.end()); // its end is where AddressSanitizer watches
        const auto header = parse_npy_header({exact.data(), exact.size()});
        if (!header) {
            ASSERT_FALSE(header.error().reason.empty());
            continue;
        }
        ++parsed;
        ASSERT_GE(header->bytes, 0);
        ASSERT_LE(header->offset + header->bytes, static_cast<int64_t>(exact.size()));
    }
    EXPECT_GT(parsed, 3'000); // else the mutations are too wild to reach the later checks
    EXPECT_LT(parsed, 50'000);
}

TEST_F(Npy, mutated_sidecars_are_parsed_or_refused) {
    std::mt19937 random(3);
    int parsed = 0;
    for (int round = 0; round < 60'000; ++round) {
        const std::string text = mutated(R"({"dims": [2, 3], "type": "bf16", "tag": "", "strides": [3, 1]})", random);
        const std::vector<char> exact(text.begin(), text.end());
        const auto sidecar = parse_sidecar({exact.data(), exact.size()});
        if (!sidecar) continue;
        ++parsed;
        ASSERT_TRUE(!sidecar->strides || sidecar->strides->size() == sidecar->dims->size());
        ASSERT_TRUE(!sidecar->type || valid(*sidecar->type));
    }
    EXPECT_GT(parsed, 3'000);
    EXPECT_LT(parsed, 50'000);
}

TEST_F(Npy, mutated_files_and_sidecars_give_only_what_lies_in_the_file) {
    std::mt19937 random(2);
    const std::string npy = npy_file("{'descr': '|u1', 'fortran_order': False, 'shape': (24,), }", bytes(24));
    const std::string sidecar = R"({"dims": [2, 3], "type": "bf16", "tag": "", "strides": [3, 1]})";
    int opened = 0;
    for (int round = 0; round < 600; ++round) {
        put("a.npy", round % 2 ? npy : mutated(npy, random));
        put("a.npy.layout.json", round % 2 || round % 3 == 0 ? mutated(sidecar, random) : sidecar);
        const auto reader = NpyReader::open(path("a.npy"));
        if (!reader) continue;
        ++opened;
        const NpyLayout& layout = reader->layout();
        ASSERT_TRUE(valid(layout.type));
        if (!layout.tag.empty()) continue;
        const auto span = span_of(layout);
        ASSERT_TRUE(span);
        ASSERT_LE(bytes_of(layout.type, *span), reader->bytes());
        ASSERT_LE(reader->bytes(), 4096);
        for (int64_t i = 0; i < *span; ++i) (void)read_bits(layout.type, reader->data(), i); // mapped, or a crash
    }
    EXPECT_GT(opened, 40);
    EXPECT_LT(opened, 540);
}

} // namespace
} // namespace tessera::testing
