// SPDX-License-Identifier: Apache-2.0
// sequences: recurrent networks read handwritten digits row by row, through the public interface alone.
//
//   sequences --data digits.csv               64 pixels and the digit a line; `make run` fetches the file
//   sequences                                 digits drawn here, of a font
//   sequences --epochs 10 --least 0.95        fails if a network is right in fewer cases
//   sequences --svg loss.svg                  the losses as a picture
//
// The sequences have unequal lengths: rows of a digit from the first to the last with enough ink. An LSTM and a GRU are
// trained in f32 and again in bf16 (weights stay f32), and those of f32 are quantized to int8. The last states of
// padded sequences are compared with those of batches of one length. It fails too if a loss does not fall to a fifth of
// its first epoch's.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "../digits/loss_plot.hpp"
#include "arguments.hpp"
#include "classifier.hpp"

using namespace sequences;

namespace {

struct Options {
    std::string data, svg;
    int epochs = 40, batch = 32;
    double least = 0;
};

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_seconds(Classifier& c) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 50; ++i) best = std::min(best, seconds_of([&] { c.run(); }));
    return best;
}

struct Report {
    const Options& options;
    std::span<const Sequence> test; // sorted by length
    int failures = 0;

    void fail(const std::string& why) {
        ++failures;
        fmt::print("  FAILED: {}\n", why);
    }

    void row(const std::string& name, const std::string& training, const Network& network, Type type) {
        Classifier c(network, type, test, Batches::padded);
        const double seconds = best_seconds(c), right = accuracy(c.labels(), test);
        fmt::print("{:<10} {:>7.2f} % {:>12} {:>11.2f} us\n", name, 100 * right, training,
                   1e6 * seconds / double(test.size()));
        if (right < options.least)
            fail(fmt::format("{}: {:.4f} of the test digits are right; at least {} should be", name, right,
                             options.least));
    }

    void losses(const Curve& c) {
        constexpr double fall = 0.2;
        if (!(c.losses.back() < fall * c.losses.front())) // so that NaN fails
            fail(fmt::format("{}: the loss goes from {:.4f} to {:.4f} in {} epochs; it should fall to {} of the first",
                             c.name, c.losses.front(), c.losses.back(), c.losses.size(), fall));
    }

    // Padding and batches of one length compute the same; only the order of sums may differ, as batches have other
    // sizes: 8 steps of sums of 72 products and a bias, each rounded to half of 2^-23.
    void lengths(const std::string& name, const Network& network) {
        constexpr double most = double(most_rows) * double(row_pixels + channels + 1) * 0x1p-24;
        Classifier padded(network, Type::f32, test, Batches::padded),
            exact(network, Type::f32, test, Batches::by_length);
        const double padded_seconds = best_seconds(padded), exact_seconds = best_seconds(exact);
        double difference = 0;
        for (size_t i = 0; i < floats(padded.last()).size(); ++i) {
            const double d = std::abs(double(floats(padded.last())[i]) - double(floats(exact.last())[i]));
            if (!(d <= difference)) difference = d; // so that NaN stays
        }
        fmt::print("{}: {:.1f} us padded, {:.1f} us by length; last states differ by {:.1e} at most\n", name,
                   1e6 * padded_seconds, 1e6 * exact_seconds, difference);
        if (!(difference <= most))
            fail(fmt::format(
                "{}: the last states of padded sequences and of batches of one length differ by {}; rounding "
                "explains {:.1e}",
                name, difference, most));
    }
};

std::string lengths_of(std::span<const Sequence> sequences) {
    std::map<int64_t, int> counts;
    for (const Sequence& s : sequences) ++counts[s.length()];
    std::string text;
    for (const auto& [length, count] : counts)
        text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, length);
    return text;
}

int run(const Options& o) {
    const Digits digits = o.data.empty() ? draw_digits(1797) : read_digits(o.data);
    if (digits.train.count() < o.batch)
        throw std::runtime_error(
            fmt::format("{} training samples do not fill a batch of {}", digits.train.count(), o.batch));
    const auto learned = sequences_of(digits.train), test = by_length(sequences_of(digits.test));
    fmt::print("{} sequences for training, {} for the test: rows of {} pixels from the first to the last with ink\n"
               "lengths in the test: {}; {} channels; {} epochs in batches of {}\n",
               learned.size(), test.size(), row_pixels, lengths_of(test), channels, o.epochs, o.batch);
    fmt::print("{:<10} {:>9} {:>12} {:>14}\n", "cell, type", "right", "training", "a sequence");

    Report report{o, test};
    std::vector<Curve> curves;
    std::vector<std::pair<std::string, Network>> exact;
    const struct {
        std::string name;
        Cell cell;
        const char *mark_f32, *color_f32, *mark_bf16, *color_bf16;
    } cells[] = {{"lstm", Cell::lstm, "●", "#1f5fa8", "○", "#e07b39"},
                 {"gru", Cell::gru, "▲", "#2f8f4e", "△", "#8d5bb0"}};
    for (const auto& c : cells) {
        for (const Type type : {Type::f32, Type::bf16}) {
            const bool f32 = type == Type::f32;
            Network network(c.cell, o.batch, type);
            Curve& curve = curves.emplace_back(Curve{c.name + (f32 ? " f32" : " bf16"),
                                                     f32 ? c.mark_f32 : c.mark_bf16,
                                                     f32 ? c.color_f32 : c.color_bf16,
                                                     {}});
            const double seconds = seconds_of([&] { curve.losses = train(network, learned, o.epochs); });
            report.row(curve.name, fmt::format("{:.2f} s", seconds), network, type);
            report.losses(curve);
            if (f32) exact.emplace_back(c.name, std::move(network));
        }
        report.row(c.name + " int8", "of f32", exact.back().second, Type::u8);
    }
    for (const auto& [name, network] : exact) report.lengths(name, network);
    show(curves, o.svg, "Loss by epoch, digits read row by row");
    return report.failures == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    tessera::CommandLine program("Recurrent networks read handwritten digits row by row", "sequences");
    program.option("--data", o.data, "Digits to learn; without, some are drawn").type_name("FILE");
    program.option("--epochs", o.epochs, "How often all are seen").range(1, 10000).shows_default();
    program.option("--batch", o.batch, "Samples of a step").range(1, 4096).shows_default();
    program.option("--least", o.least, "Fail below this accuracy").range(0.0, 1.0);
    program.option("--svg", o.svg, "Draw the losses to this file too").type_name("FILE");
    if (const auto code = program.parse(argc, argv)) return *code;
    return run(o);
} catch (const std::exception& e) {
    fmt::print(stderr, "sequences: {}\n", e.what());
    return 1;
}
