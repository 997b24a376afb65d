#include "cpu/exec/scratch.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <vector>

namespace tessera::cpu {

namespace {

struct Buffer {
    char* data;
    size_t bytes;
};

// Outlive every static, as kernels do: a thread may still run while the process ends.
std::mutex& lock() {
    static auto* const mutex = new std::mutex;
    return *mutex;
}
std::vector<Buffer>& idle() {
    static auto* const list = new std::vector<Buffer>;
    return *list;
}

constexpr size_t huge_page = 2 << 20;

// Steps of a quarter of the size: jobs of nearly equal needs share buffers.
size_t rounded(size_t bytes) {
    size_t step = 4096;
    while (step * 8 < bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

} // namespace

Scratch::Scratch(size_t bytes) {
    {
        const std::lock_guard guard(lock());
        auto& list = idle();
        size_t best = list.size();
        for (size_t i = 0; i < list.size(); ++i)
            if (list[i].bytes >= bytes && (best == list.size() || list[i].bytes < list[best].bytes)) best = i;
        if (best < list.size()) {
            data_ = list[best].data, bytes_ = list[best].bytes;
            list[best] = list.back();
            list.pop_back();
            return;
        }
        if (!list.empty()) { // too small for what is asked for now: its place goes to a larger one
            std::free(list.back().data);
            list.pop_back();
        }
    }
    bytes_ = rounded(bytes);
    const size_t alignment = bytes_ >= huge_page ? huge_page : 64;
    bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
    data_ = static_cast<char*>(std::aligned_alloc(alignment, bytes_));
#if defined(MADV_HUGEPAGE)
    if (data_ && alignment == huge_page) madvise(data_, bytes_, MADV_HUGEPAGE);
#endif
}

Scratch::~Scratch() {
    if (!data_) return;
    const std::lock_guard guard(lock());
    idle().push_back({data_, bytes_});
}

} // namespace tessera::cpu
