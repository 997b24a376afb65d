// SPDX-License-Identifier: Apache-2.0
// digits: a small network learns handwritten digits, through the public interface alone.
//
//   digits --data digits.csv                  64 pixels and the digit a line; `make run` fetches the file
//   digits                                    digits drawn here, of a font
//   digits --epochs 10 --least 0.95           fails if a network is right in fewer cases
//   digits --svg loss.svg                     the losses as a picture
//
// A perceptron of 64, 128, 64 and 10 is trained in f32 and again in bf16 (weights stay f32), and the first is quantized
// to int8. It fails too if a loss does not fall to a fifth of its first epoch's.
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "arguments.hpp"
#include "classifier.hpp"
#include "loss_plot.hpp"

using namespace digits;

namespace {

struct Options {
    std::string data, svg;
    int epochs = 20, batch = 32;
    double least = 0;
};

const std::vector<int64_t> widths = {pixels, 128, 64, classes};

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A row of the table: accuracy on the test samples, and the best time of many runs on all of them.
struct Tested {
    double right, seconds;
    Tested(Classifier c, const Samples& test)
        : right(accuracy(c.classify(test.images), test.labels)), seconds(std::numeric_limits<double>::infinity()) {
        for (int i = 0; i < 200; ++i) seconds = std::min(seconds, seconds_of([&] { c.run(); }));
    }
};

struct Report {
    const Options& options;
    const Samples& test;
    int failures = 0;

    void fail(const std::string& why) {
        ++failures;
        fmt::print("  FAILED: {}\n", why);
    }
    void row(const char* name, const std::string& training, const Tested& t) {
        fmt::print("{:<6} {:>9.2f} % {:>14} {:>11.3f} us {:>9.1f}\n", name, 100 * t.right, training,
                   1e6 * t.seconds / double(test.count()), double(test.count()) / t.seconds * 1e-6);
        if (t.right < options.least)
            fail(fmt::format("{}: {:.4f} of the test digits are right; at least {} should be", name, t.right,
                             options.least));
    }
    void losses(const Curve& c) {
        constexpr double fall = 0.2;
        if (!(c.losses.back() < fall * c.losses.front())) // so that NaN fails
            fail(fmt::format("{}: the loss goes from {:.4f} to {:.4f} in {} epochs; it should fall to {} of the first",
                             c.name, c.losses.front(), c.losses.back(), c.losses.size(), fall));
    }
};

int run(const Options& o) {
    const Digits digits = o.data.empty() ? draw_digits(1797) : read_digits(o.data);
    if (digits.train.count() < o.batch)
        throw std::runtime_error(
            fmt::format("{} training samples do not fill a batch of {}", digits.train.count(), o.batch));
    fmt::print("{} digits for training, {} for the test; layers of 64, 128, 64 and 10; {} epochs in batches of {}\n",
               digits.train.count(), digits.test.count(), o.epochs, o.batch);
    fmt::print("{:<6} {:>11} {:>14} {:>14} {:>9}\n", "type", "right", "training", "a digit", "M/s");

    Report report{o, digits.test};
    std::vector<Curve> curves = {{"f32", "●", "#1f5fa8", {}}, {"bf16", "○", "#e07b39", {}}};
    const Type types[] = {Type::f32, Type::bf16};
    std::vector<Network> networks;
    for (size_t t = 0; t < curves.size(); ++t) {
        Network& network = networks.emplace_back(widths, o.batch, types[t]);
        const double seconds = seconds_of([&] { curves[t].losses = train(network, digits.train, o.epochs); });
        report.row(curves[t].name.c_str(), fmt::format("{:.2f} s", seconds),
                   {float_classifier(network, digits.test.count(), types[t]), digits.test});
        report.losses(curves[t]);
    }
    report.row("int8", "of f32", {int8_classifier(networks.front(), digits.test.count(), digits.train), digits.test});
    show(curves, o.svg, "Loss by epoch, digits of 8x8 pixels");
    return report.failures == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) try {
    Options o;
    tessera::CommandLine program("A small network learns handwritten digits", "digits");
    program.option("--data", o.data, "Digits to learn; without, some are drawn").type_name("FILE");
    program.option("--epochs", o.epochs, "How often all are seen").range(1, 10000).shows_default();
    program.option("--batch", o.batch, "Samples of a step").range(1, 4096).shows_default();
    program.option("--least", o.least, "Fail below this accuracy").range(0.0, 1.0);
    program.option("--svg", o.svg, "Draw the losses to this file too").type_name("FILE");
    if (const auto code = program.parse(argc, argv)) return *code;
    return run(o);
} catch (const std::exception& e) {
    fmt::print(stderr, "digits: {}\n", e.what());
    return 1;
}
