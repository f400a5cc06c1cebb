// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"
#include "kernels/accelerator/operations.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cannery::kernels::cuda {

class CublasProducts;
class CudaLauncher;

/// Queues the operations of one device. One thread at a time; the device is current in every call.
class OperationRunner
{
public:
    static cudaError_t create(int device, std::unique_ptr<OperationRunner>& runner);
    ~OperationRunner();
    OperationRunner(const OperationRunner&) = delete;
    OperationRunner& operator=(const OperationRunner&) = delete;

    /// Chooses kernels. `workspaceBytes`: memory that run() needs for the operation, shared by the
    /// operations of a graph, one after another. An empty sentence, or why there is no kernel (for
    /// kNoGpuKernel).
    std::string prepare(const Operation& operation, std::int64_t& workspaceBytes);
    /// Queues an operation of this device alone that was prepared; `workspace` is 256-byte aligned.
    /// It can be captured: nothing is allocated or waited for.
    cudaError_t run(const Operation& operation, cudaStream_t stream, std::byte* workspace);
    std::vector<AcceleratorKernel> kernels() const;

private:
    explicit OperationRunner(std::unique_ptr<CublasProducts> products);
    void queueProduct(CudaLauncher& launcher, const Product& product, std::byte* workspace) const;

    std::unique_ptr<CublasProducts> m_products;
};

} // namespace cannery::kernels::cuda
