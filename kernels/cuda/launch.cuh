// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/cuda_launcher.h"
#include "kernels/cuda/launch_shape.h"

#include <type_traits>

/// Kernels made of bodies (kernels/accelerator/bodies/element.h), each with its launcher under it.
namespace cannery::kernels::cuda {

template <typename Body>
__global__ void __launch_bounds__(kElementThreads)
    elementKernel(const Body body, std::int64_t count)
{
    const std::int64_t step = std::int64_t{gridDim.x} * kElementThreads;
    std::int64_t index = std::int64_t{blockIdx.x} * kElementThreads + threadIdx.x;
    for (; index < count; index += step) {
        body(index);
    }
}

template <typename Body>
void CudaLauncher::forEach(std::int64_t count, const Body& body)
{
    const unsigned grid = gridOfElements(count);
    if (grid == 0 || m_error != cudaSuccess) {
        return;
    }
    elementKernel<<<grid, kElementThreads, 0, m_stream>>>(body, count);
    keep(cudaGetLastError());
}

template <typename Body>
__global__ void __launch_bounds__(Body::kThreads) blockKernel(const Body body, std::int64_t blocks)
{
    __shared__ typename Body::Shared shared;
    const int phases = body.phases();
    for (std::int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
        for (int phase = 0; phase < phases; ++phase) {
            body(phase, static_cast<int>(threadIdx.x), block, shared);
            __syncthreads();
        }
    }
}

template <typename Body>
void CudaLauncher::forEachBlock(std::int64_t blocks, const Body& body)
{
    static_assert(std::is_trivially_default_constructible_v<typename Body::Shared>);
    const unsigned grid = gridOf(blocks);
    if (grid == 0 || m_error != cudaSuccess) {
        return;
    }
    blockKernel<<<grid, Body::kThreads, 0, m_stream>>>(body, blocks);
    keep(cudaGetLastError());
}

template <typename Work>
void queue(CudaLauncher& launcher, const Work& work)
{
    bodies::run(launcher, work);
}

} // namespace cannery::kernels::cuda
