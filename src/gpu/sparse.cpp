// SPDX-License-Identifier: Apache-2.0
#include "gpu/sparse.hpp"

#include <fmt/format.h>

#include "core/division.hpp"
#include "gpu/header.hpp"

namespace tessera::gpu {

namespace {

constexpr int64_t lanes = 64;

// o0: values, o1 and o2: numbers of rows (CSR: where rows begin) and columns, o3: the dense factor, o4: dst.
std::string source_of(const SparseProduct& p, DataType from, DataType to) {
    const std::string_view check = R"cl(
kernel void tessera_check(global const place* restrict nest, volatile global int* wrong, buffer b1, buffer b2) {
    global const int* rows = (global const int*)(b1 + nest[1]);
    global const int* columns = (global const int*)(b2 + nest[2]);
    const place elements = nest[5], all_rows = nest[6], all_columns = nest[7];
    bool fits = true;
    for (place i = (place)get_global_id(0); i < elements; i += (place)get_global_size(0)) {
        fits &= columns[i] >= 0 && columns[i] < all_columns;
        if (!POINTERS) fits &= rows[i] >= 0 && rows[i] < all_rows;
    }
    if (POINTERS) {
        for (place r = (place)get_global_id(0); r < all_rows; r += (place)get_global_size(0)) fits &= rows[r] <= rows[r + 1];
        fits &= rows[0] >= 0 && rows[all_rows] <= elements;
    }
    if (!fits) *wrong = 1;
}
)cl";
    // A work-item is an element of dst. Those of a row follow each other: they read the same list.
    const std::string_view of_src = R"cl(
kernel void tessera_step(global const place* restrict nest, global float* restrict sums, ARGUMENTS) {
    START
    if (id >= rows * columns) return;
    const place m = id / columns, n = id % columns;
    place first, last;
    if (POINTERS) {
        first = row_numbers[m], last = row_numbers[m + 1];
    } else {
        place above = elements;
        for (first = 0; first < above;) {
            const place middle = (first + above) / 2;
            if (row_numbers[middle] < m) first = middle + 1;
            else above = middle;
        }
        for (last = first; last < elements && row_numbers[last] == m;) ++last;
    }
    float sum = 0;
    for (place i = first; i < last; ++i)
        sum += READ(o0, i) * READ(o3, column_numbers[i] * dense_stride0 + n * dense_stride1);
    WRITE(o4, m * dst_stride0 + n * dst_stride1, sum);
}
)cl";
    // A work-item is a row of dst: the list says where its next product goes. The sums of all rows for a column follow
    // each other, so that neighbours access neighbours.
    const std::string_view of_weights = R"cl(
kernel void tessera_step(global const place* restrict nest, global float* restrict sums, ARGUMENTS) {
    START
    const place m = id;
    if (m >= rows) return;
    for (place n = 0; n < columns; ++n) sums[n * rows + m] = 0;
    if (POINTERS) {
        for (place k = 0; k < depth; ++k) {
            const float x = READ(o3, m * dense_stride0 + k * dense_stride1);
            for (place i = row_numbers[k]; i < row_numbers[k + 1]; ++i)
                sums[column_numbers[i] * rows + m] += READ(o0, i) * x;
        }
    } else {
        for (place i = 0; i < elements; ++i)
            sums[column_numbers[i] * rows + m] +=
                READ(o0, i) * READ(o3, m * dense_stride0 + row_numbers[i] * dense_stride1);
    }
    for (place n = 0; n < columns; ++n) WRITE(o4, m * dst_stride0 + n * dst_stride1, sums[n * rows + m]);
}
)cl";
    return source_in_front(true, false) +
           fmt::format(
               "#define POINTERS {}\n#define READ(b, i) read_{}(((global {}*)(b))[i])\n#define WRITE write_{}_f32\n",
               int(p.has_pointers), name(from), c_name_of_bits(bits(from)), name(to)) +
           R"cl(#define ARGUMENTS buffer b0, buffer b1, buffer b2, buffer b3, buffer b4
#define START                                                                                                          \
    const buffer o0 = b0 + nest[0], o3 = b3 + nest[3], o4 = b4 + nest[4];                                              \
    global const int* row_numbers = (global const int*)(b1 + nest[1]);                                                 \
    global const int* column_numbers = (global const int*)(b2 + nest[2]);                                              \
    const place elements = nest[5], rows = nest[8], columns = nest[9], depth = nest[10];                               \
    const place dense_stride0 = nest[11], dense_stride1 = nest[12];                                                    \
    const place dst_stride0 = nest[13], dst_stride1 = nest[14];                                                        \
    const place id = (place)get_global_id(0);
)cl" + std::string(check) +
           std::string(p.is_src ? of_src : of_weights);
}

std::array<int, 5> operands_of(const SparseProduct& p) {
    return {p.values, p.row_numbers, p.column_numbers, p.dense, p.dst};
}

} // namespace

Result<SparseRun> SparseRun::make(Device& device, const Plan& plan, const SparseProduct& p) {
    SparseRun run;
    run.product_ = p;
    const auto type = [&](int operand) { return plan.operands[size_t(operand)].type; };
    run.source_ = source_of(p, type(p.values), type(p.dst));
    auto program = device.program(run.source_);
    if (!program) return Refusal(program.error());
    run.program_ = std::move(*program);
    std::vector<int64_t> numbers;
    for (const int o : operands_of(p)) numbers.push_back(plan.operands[size_t(o)].bytes);
    numbers.insert(numbers.end(),
                   {p.elements, p.is_src ? p.rows : p.depth, p.is_src ? p.depth : p.columns, p.rows, p.columns, p.depth,
                    p.dense_strides[0], p.dense_strides[1], p.dst_strides[0], p.dst_strides[1]});
    auto nest = device.buffer(numbers.size() * 8, numbers.data());
    if (!nest) return Refusal(nest.error());
    run.nest_ = std::move(*nest);
    run.items_ = p.is_src ? p.rows * p.columns : p.rows;
    return run;
}

Result<Owned<cl_kernel>> SparseRun::kernel(Device& device, const char* name) const {
    auto made = device.kernel(program_.get(), name);
    if (!made) return made;
    if (auto ok = device.set_argument(made->get(), 0, nest_.get()); !ok) return Refusal(ok.error());
    return made;
}

Result<SparseRun::Check> SparseRun::make_check(Device& device) const {
    auto checks = kernel(device, "tessera_check");
    if (!checks) return Refusal(checks.error());
    auto answer = device.buffer(sizeof(cl_int));
    if (!answer) return Refusal(answer.error());
    if (auto ok = device.set_argument(checks->get(), 1, answer->get()); !ok) return Refusal(ok.error());
    return Check{std::move(*checks), std::move(*answer)};
}

int64_t SparseRun::scratch_bytes() const {
    return product_.is_src ? 4 : std::max<int64_t>(product_.rows * product_.columns, 1) * 4;
}

Result<void> SparseRun::run_check(Device& device, Queue& queue, std::span<void* const> after, const Check& check,
                                  const SetOperand& set) const {
    cl_int wrong = 0;
    const cl_mem answer = check.answer.get();
    cl_int error =
        device.cl.clEnqueueWriteBuffer(device.queue(), answer, CL_TRUE, 0, sizeof wrong, &wrong, 0, nullptr, nullptr);
    if (auto ok = device.copied("clEnqueueWriteBuffer", error); !ok) return ok;
    if (auto ok = set(check.kernel.get(), 2, product_.row_numbers); !ok) return ok;
    if (auto ok = set(check.kernel.get(), 3, product_.column_numbers); !ok) return ok;
    Queue::Run run(queue, after, false);
    const int64_t most = 256 * lanes;
    const int64_t items = std::min(most, round_up(std::max(product_.elements, product_.depth + product_.rows), lanes));
    if (auto ok = run.add(check.kernel.get(), size_t(items), size_t(lanes)); !ok) return ok;
    if (auto ok = queue.wait({}); !ok) return ok;
    error =
        device.cl.clEnqueueReadBuffer(device.queue(), answer, CL_TRUE, 0, sizeof wrong, &wrong, 0, nullptr, nullptr);
    if (auto ok = device.copied("clEnqueueReadBuffer", error); !ok) return ok;
    if (wrong) return Refusal(Error{Status::invalid_arguments, ""}); // which the caller puts into words
    return {};
}

Result<void> SparseRun::multiply(Device& device, Queue::Run& run, cl_kernel product, cl_mem scratch,
                                 const SetOperand& set) const {
    if (auto ok = device.set_argument(product, 1, scratch); !ok) return ok;
    cl_uint number = 2;
    for (const int o : operands_of(product_))
        if (auto ok = set(product, number++, o); !ok) return ok;
    return run.add(product, size_t(round_up(std::max<int64_t>(items_, 1), lanes)), size_t(lanes));
}

} // namespace tessera::gpu
