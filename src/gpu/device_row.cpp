// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_row.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "core/made_once.hpp"
#include "core/nearest.hpp"
#include "core/verbose/verbose.hpp"

namespace tessera::gpu {

namespace {

struct Field {
    std::string_view key;
    int64_t DeviceRow::*number;
    int64_t least, most;
};
constexpr Field fields[] = {
    {"lanes", &DeviceRow::lanes, 1, 1024},
    {"units", &DeviceRow::units, 1, 1 << 20},
    {"local_bytes", &DeviceRow::local_bytes, 16 << 10, 1 << 30},
    {"vector_floats", &DeviceRow::vector_floats, 1, 16},
    {"capability", &DeviceRow::capability, 0, 1000},
    {"matrices", &DeviceRow::matrices, 0, 16},
    {"dots", &DeviceRow::dots, 0, 1},
    {"wide", &DeviceRow::wide, 0, 1},
};

template <typename T> T asked(const Device& device, cl_device_info what, T otherwise) {
    T value = otherwise;
    return device.cl.clGetDeviceInfo(device.id, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

// Of cl_nv_device_attribute_query: other devices know no such question.
int64_t capability_of(const Device& device) {
    return 10 * int64_t(asked<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 0)) +
           asked<cl_uint>(device, CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 0);
}

std::string_view facts_of_environment() {
    static constinit MadeOnce<std::string> once;
    return once.get([] {
        const char* text = std::getenv("TESSERA_DEVICE");
        if (!text) return std::string();
        const auto row = with_facts({}, text);
        if (row) return std::string(text);
        verbose::setting("TESSERA_DEVICE", "ignored: " + row.error().reason);
        return std::string();
    });
}

} // namespace

Result<DeviceRow> with_facts(DeviceRow row, std::string_view list) {
    while (!list.empty()) {
        const std::string_view item = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), item.size() + 1));
        const std::string_view key = item.substr(0, item.find('='));
        const auto field = std::ranges::find(fields, key, &Field::key);
        if (field == std::end(fields) || key.size() == item.size())
            return invalid("'{}' is no fact of a device; lanes=, units=, local_bytes=, vector_floats=, capability=, "
                           "matrices=, dots= and wide= are{}",
                           item,
                           field == std::end(fields)
                               ? did_you_mean(key, {"lanes", "units", "local_bytes", "vector_floats", "capability",
                                                    "matrices", "dots", "wide"})
                               : "; a number follows the =");
        const std::string_view text = item.substr(key.size() + 1);
        int64_t value = 0;
        const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_number = wrong == std::errc() && end == text.data() + text.size();
        if (!is_number || value < field->least || value > field->most)
            return invalid("{} of '{}' is no number of {}..{}", key, text, field->least, field->most);
        row.*field->number = value;
    }
    if (row.lanes != 1 && (row.lanes < 32 || (row.lanes & (row.lanes - 1))))
        return invalid("lanes of {} are neither 1 nor a power of two from 32 on", row.lanes);
    if (row.matrices != 0 && row.matrices != 8 && row.matrices != 16)
        return invalid("matrices of {} are neither 0, 8 nor 16 work-items of a sub-group", row.matrices);
    return row;
}

DeviceRow row_of(const Device& device) {
    DeviceRow row;
    row.units = std::max<int64_t>(asked<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1), 1);
    row.local_bytes = int64_t(asked<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE, 16 << 10));
    row.vector_floats = std::max<int64_t>(asked<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 1), 1);
    const auto most = int64_t(asked<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
    if (device.processor)
        row.lanes = 1;
    else
        while (row.lanes > 32 && row.lanes > most) row.lanes /= 2;
    row.capability = capability_of(device);
    row.ptx = row.capability > 0;
    row.matrices = device.matrices;
    constexpr int64_t of_group = 8; // vector engines, which these devices count, run a group together
    if (row.matrices > 0) row.units = std::max<int64_t>(row.units / of_group, 1);
    row.unrolls = !device.processor;
    constexpr int64_t first_with_dots = 61;
    row.dots = device.dots || row.capability >= first_with_dots;
    row = *with_facts(row, facts_of_environment());
    row.multiplies_matrices = row.matrices > 0 && row.matrices == device.matrices;
    return row;
}

} // namespace tessera::gpu
