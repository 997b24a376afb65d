// SPDX-License-Identifier: Apache-2.0
// The check of a device's instructions for matrices, with those that are emulated: it numbers fragments by itself.
#include <gtest/gtest.h>

#include "first_device.hpp"
#include "gpu/products/check.hpp"

namespace tessera::gpu {

TEST(Matrices, of_sub_groups_are_right_or_not_used) {
    const auto device = test::first_device();
    if (!device) GTEST_SKIP() << "no device of OpenCL";
    for (const Tile& tile : {sub_group_tile_16, sub_group_tile_8}) {
        DeviceRow row{.matrices = tile.lanes};
        EXPECT_EQ(wrong_in_matrices(*device, row, tile), "") << tile.lanes;
        // One whose compiler does not know the functions.
        if (device->matrices == 0) {
            row.multiplies_matrices = true;
            const std::string wrong = wrong_in_matrices(*device, row, tile);
            EXPECT_NE(wrong.find("does not compile a kernel"), std::string::npos) << wrong;
        }
    }
}

} // namespace tessera::gpu
