// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cuda/cuda_launcher.h"
#include "kernels/cuda/product_layout.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

/// cuBLASLt ends here.
namespace cannery::kernels::cuda {

/// All that the choice of an algorithm may depend on: products that agree in it have the same bits.
struct ProductKey
{
    ProductPrecision precision = ProductPrecision::Float32;
    bool leftTransposed = false;
    bool rightTransposed = false;
    bool accumulate = false;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t depth = 0;
    std::int64_t leftStride = 0;
    std::int64_t rightStride = 0;
    std::int64_t dstStride = 0;
    std::uint32_t leftAlignment = 0;
    std::uint32_t rightAlignment = 0;
    std::uint32_t dstAlignment = 0;
    std::uint32_t biasAlignment = 0; ///< 0 if there is no bias

    auto operator<=>(const ProductKey&) const = default;
};

/// Products by cuBLASLt. Each key gets one algorithm, chosen when it is prepared, and only such as
/// sum in a fixed order.
class CublasProducts
{
public:
    /// On the current device.
    static cudaError_t create(std::unique_ptr<CublasProducts>& products);
    ~CublasProducts();
    CublasProducts(const CublasProducts&) = delete;
    CublasProducts& operator=(const CublasProducts&) = delete;

    /// Whether there is an algorithm for the layout, which has elements. `workspaceBytes`: what
    /// run() needs.
    bool prepare(const ProductLayout& layout, ProductPrecision precision,
                 std::int64_t& workspaceBytes);
    /// Whether prepare() has found an algorithm for it.
    bool has(const ProductLayout& layout, ProductPrecision precision) const;
    /// Queues a prepared product; `workspace` is 256-byte aligned.
    void run(CudaLauncher& launcher, const ProductLayout& layout, ProductPrecision precision,
             std::byte* workspace) const;

private:
    struct Plan;
    CublasProducts();

    void* m_handle = nullptr; ///< cublasLtHandle_t
    std::map<ProductKey, std::unique_ptr<Plan>> m_plans;
};

} // namespace cannery::kernels::cuda
