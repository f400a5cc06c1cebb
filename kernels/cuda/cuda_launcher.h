// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/lookup_scratch.h"
#include "kernels/accelerator/bodies/totals.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace cannery::kernels::cuda {

/// The launcher of kernels/accelerator/dispatch.h for one stream: everything is queued, nothing
/// allocated or waited for. The templates are defined in launch.cuh, for `.cu` files.
class CudaLauncher
{
public:
    /// What partialSums() needs, 256-byte aligned.
    static constexpr std::int64_t kWorkspaceBytes =
        bodies::kMostPartialSums * std::int64_t{sizeof(double)};

    CudaLauncher(cudaStream_t stream, std::byte* workspace)
        : m_stream(stream), m_workspace(workspace)
    {}

    template <typename Body>
    void forEach(std::int64_t count, const Body& body);
    template <typename Body>
    void forEachBlock(std::int64_t blocks, const Body& body);
    void sort(const bodies::SortPairs& pairs);
    double* partialSums() { return reinterpret_cast<double*>(m_workspace); }

    cudaStream_t stream() const { return m_stream; }
    /// The first failure of what was queued; nothing is queued after one.
    cudaError_t error() const { return m_error; }
    void keep(cudaError_t error) { m_error = m_error == cudaSuccess ? error : m_error; }

private:
    cudaStream_t m_stream;
    std::byte* m_workspace;
    cudaError_t m_error = cudaSuccess;
};

/// Scratch memory that sort() needs for as many entries; 0 if CUDA does not report it.
std::int64_t sortBytes(std::int64_t count, std::int64_t tableRows);

/// Queues an operation by its bodies. Each one but Product is instantiated in the `.cu` file of its
/// area.
template <typename Work>
void queue(CudaLauncher& launcher, const Work& work);

} // namespace cannery::kernels::cuda
