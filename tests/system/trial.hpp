// SPDX-License-Identifier: Apache-2.0
// A problem line with its buffers, created and executed through the C API.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "line/line_objects.hpp"
#include "line/problem_line.hpp"
#include "oneapi/dnnl/dnnl.hpp"
#include "trial/experiment_data.hpp"

namespace tessera::test {

// The primitive is made anew by each create().
class Trial {
public:
    explicit Trial(const std::string& text) {
        auto line = parse_problem_line(text);
        if (!line) throw std::runtime_error(line.error().reason);
        line_ = *line;
        std::vector<float> output_scales(size_t(output_scale_count(line_)), 0.5f);
        open_ = make_tensors(line_, RuntimeDims::open).value();
        attr_ = make_attr(line_, output_scales).value();
        engine_ = dnnl::engine(dnnl::engine::kind::cpu, 0);
        stream_ = dnnl::stream(engine_);
        problem_ = make_problem(line_, make_tensors(line_, RuntimeDims::filled).value(), attr_).value();
        uint64_t seed = 1;
        for (const Tensor& t : problem_.tensors) {
            std::vector<uint8_t>& buffer = buffers_[t.arg];
            buffer.resize(size_of(t.md));
            if (!t.output)
                fill_dense(buffer.data(), t.md.type, int64_t(buffer.size()) * 8 / bits(t.md.type), Fill::small, ++seed);
            outputs_[t.arg] = t.output;
            add(t.arg, t.md);
        }
        for (const QuantArg& q : quant_args(problem_)) {
            const int64_t dims[] = {q.count};
            const MemoryDesc md = make_desc_with_tag(dims, q.quant.type, "a").value();
            buffers_[q.id].resize(size_of(md));
            fill_dense(buffers_[q.id].data(), q.quant.type, q.count,
                       q.id & arg::scales ? Fill::scales : Fill::zero_points, ++seed);
            add(q.id, md);
        }
    }

    dnnl_status_t create() {
        primitive_.reset();
        try {
            const dnnl::primitive_desc_base pd = make_primitive_desc(line_, open_, engine_, attr_);
            dnnl_primitive_t made = nullptr;
            const dnnl_status_t status = dnnl_primitive_create(&made, pd.get());
            primitive_.reset(made);
            return status;
        } catch (const dnnl::error& e) { return e.status; } catch (const std::bad_alloc&) { // the C++ interface's own
            return dnnl_out_of_memory;
        }
    }
    dnnl_status_t execute() { return execute(args_); }
    void forget() { primitive_.reset(); }
    dnnl_status_t execute(const std::vector<dnnl_exec_arg_t>& args) {
        return dnnl_primitive_execute(primitive_.get(), stream_.get(), int(args.size()), args.data());
    }
    const std::vector<dnnl_exec_arg_t>& args() const { return args_; }

    // Every output, after an execution onto zeros.
    std::vector<std::vector<uint8_t>> results() {
        for (auto& [id, buffer] : buffers_)
            if (outputs_[id]) std::fill(buffer.begin(), buffer.end(), uint8_t(0));
        if (execute() != dnnl_success) return {};
        std::vector<std::vector<uint8_t>> all;
        for (auto& [id, buffer] : buffers_)
            if (outputs_[id]) all.push_back(buffer);
        return all;
    }

private:
    void add(int id, const MemoryDesc& md) {
        memories_.push_back(dnnl::memory(wrap(md), engine_, buffers_[id].data()));
        args_.push_back({id, memories_.back().get()});
    }

    struct Destroy {
        void operator()(dnnl_primitive_t p) const { dnnl_primitive_destroy(p); }
    };
    ProblemLine line_;
    LineTensors open_;
    dnnl::primitive_attr attr_;
    dnnl::engine engine_;
    dnnl::stream stream_;
    Problem problem_;
    std::map<int, std::vector<uint8_t>> buffers_;
    std::map<int, bool> outputs_;
    std::vector<dnnl::memory> memories_;
    std::vector<dnnl_exec_arg_t> args_;
    std::unique_ptr<dnnl_primitive, Destroy> primitive_;
};

inline void empty_cache() {
    dnnl_set_primitive_cache_capacity(0);
    dnnl_set_primitive_cache_capacity(1024);
}

} // namespace tessera::test
