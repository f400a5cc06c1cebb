// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/product_operations.h"

#include "kernels/accelerator/bodies/thin_product.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

namespace {

/// For each group of numbers of a column; those behind its end are never read.
struct RoundBody
{
    FactorLayout factor;
    std::uint16_t* dst = nullptr;
    std::int64_t stride = 0;

    struct alignas(kBFloat16Group * sizeof(std::uint16_t)) Group
    {
        std::uint16_t numbers[kBFloat16Group];
    };

    __device__ void operator()(std::int64_t index) const
    {
        const bodies::Place place = bodies::placeOf(index, stride / kBFloat16Group);
        const std::int64_t first = place.col * kBFloat16Group;
        const float* const src = factor.data + place.row * factor.stride + first;
        Group group;
        for (std::int64_t i = 0; i < kBFloat16Group; ++i) {
            group.numbers[i] = toBFloat16(first + i < factor.rows ? src[i] : 0.0F);
        }
        *reinterpret_cast<Group*>(dst + place.row * stride + first) = group;
    }
};

} // namespace

void queueThinProduct(CudaLauncher& launcher, const Product& product)
{
    bodies::thinProduct(launcher, product);
}

void queueRounding(CudaLauncher& launcher, const FactorLayout& factor, std::uint16_t* dst,
                   std::int64_t stride)
{
    launcher.forEach(factor.cols * (stride / kBFloat16Group), RoundBody{factor, dst, stride});
}

} // namespace cannery::kernels::cuda
