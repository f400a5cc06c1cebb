// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/cublas_products.h"

#include "core/base/check.h"
#include "kernels/cuda/product_operations.h"

#include <cublasLt.h>

#include <cstdint>
#include <utility>

namespace cannery::kernels::cuda {

namespace {

/// What NVIDIA recommends for Hopper; more finds no better algorithms.
constexpr std::int64_t kMostLibraryBytes = 32 << 20;
/// Of workspaces, and the most that the library asks about.
constexpr std::int64_t kAlignment = 256;

cudaError_t errorOf(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED:
        return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return cudaErrorInitializationError;
    case CUBLAS_STATUS_ARCH_MISMATCH:
        return cudaErrorNoKernelImageForDevice;
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return cudaErrorLaunchFailure;
    default:
        return cudaErrorUnknown;
    }
}

std::int64_t roundedUp(std::int64_t number, std::int64_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

/// Of an address: a power of two, at most kAlignment.
std::uint32_t alignmentOf(const void* address)
{
    const auto number = reinterpret_cast<std::uintptr_t>(address) | kAlignment;
    return static_cast<std::uint32_t>(number & (~number + 1));
}

/// Distance between the columns of a factor that is rounded.
std::int64_t roundedStride(const FactorLayout& factor)
{
    return roundedUp(factor.rows, kBFloat16Group);
}

std::int64_t roundedBytes(const FactorLayout& factor)
{
    const std::int64_t numbers = roundedStride(factor) * factor.cols;
    return roundedUp(numbers * std::int64_t{sizeof(std::uint16_t)}, kAlignment);
}

ProductKey keyOf(const ProductLayout& layout, ProductPrecision precision)
{
    const bool isRounded = precision == ProductPrecision::BFloat16;
    const auto stride = [&](const FactorLayout& factor) {
        return isRounded ? roundedStride(factor) : factor.stride;
    };
    const auto alignment = [&](const FactorLayout& factor) {
        return isRounded ? std::uint32_t{kAlignment} : alignmentOf(factor.data);
    };
    return {.precision = precision,
            .leftTransposed = layout.left.isTransposed,
            .rightTransposed = layout.right.isTransposed,
            .accumulate = layout.accumulate,
            .rows = layout.rows,
            .cols = layout.cols,
            .depth = layout.depth,
            .leftStride = stride(layout.left),
            .rightStride = stride(layout.right),
            .dstStride = layout.dstStride,
            .leftAlignment = alignment(layout.left),
            .rightAlignment = alignment(layout.right),
            .dstAlignment = alignmentOf(layout.dst),
            .biasAlignment = layout.bias == nullptr ? 0 : alignmentOf(layout.bias)};
}

cublasComputeType_t computeType(ProductPrecision precision)
{
    return precision == ProductPrecision::TensorFloat32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                        : CUBLAS_COMPUTE_32F;
}

} // namespace

/// The library's descriptions, which own no memory elsewhere, and the algorithm.
struct CublasProducts::Plan
{
    /// `bias`: one with the alignment of others.
    Plan(const ProductKey& key, const float* bias)
    {
        const auto factorType =
            key.precision == ProductPrecision::BFloat16 ? CUDA_R_16BF : CUDA_R_32F;
        const auto describe = [&](cublasLtMatrixLayoutOpaque_t& matrix, bool isTransposed,
                                  std::int64_t rows, std::int64_t cols, std::int64_t stride) {
            keep(cublasLtMatrixLayoutInit(
                &matrix, factorType, static_cast<std::uint64_t>(isTransposed ? cols : rows),
                static_cast<std::uint64_t>(isTransposed ? rows : cols), stride));
        };
        describe(left, key.leftTransposed, key.rows, key.depth, key.leftStride);
        describe(right, key.rightTransposed, key.depth, key.cols, key.rightStride);
        keep(cublasLtMatrixLayoutInit(&dst, CUDA_R_32F, static_cast<std::uint64_t>(key.rows),
                                      static_cast<std::uint64_t>(key.cols), key.dstStride));
        keep(cublasLtMatmulDescInit(&product, computeType(key.precision), CUDA_R_32F));
        set(CUBLASLT_MATMUL_DESC_TRANSA, key.leftTransposed ? CUBLAS_OP_T : CUBLAS_OP_N);
        set(CUBLASLT_MATMUL_DESC_TRANSB, key.rightTransposed ? CUBLAS_OP_T : CUBLAS_OP_N);
        if (bias != nullptr) {
            set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
            set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias); // else no algorithm may be found
        }
    }

    template <typename T>
    void set(cublasLtMatmulDescAttributes_t attribute, const T& value)
    {
        keep(cublasLtMatmulDescSetAttribute(&product, attribute, &value, sizeof(value)));
    }
    void keep(cublasStatus_t result) { isValid = isValid && result == CUBLAS_STATUS_SUCCESS; }

    /// Whether there is one; it becomes the plan's.
    bool chooseAlgorithm(cublasLtHandle_t handle, const ProductKey& key);

    cublasLtMatmulDescOpaque_t product{};
    cublasLtMatrixLayoutOpaque_t left{};
    cublasLtMatrixLayoutOpaque_t right{};
    cublasLtMatrixLayoutOpaque_t dst{};
    cublasLtMatmulAlgo_t algorithm{};
    std::int64_t libraryBytes = 0;
    bool isValid = true;
};

bool CublasProducts::Plan::chooseAlgorithm(cublasLtHandle_t handle, const ProductKey& key)
{
    cublasLtMatmulPreferenceOpaque_t preference{};
    keep(cublasLtMatmulPreferenceInit(&preference));
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, const auto& value) {
        keep(cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value)));
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kMostLibraryBytes});
    // Partial sums are added in a step of their own, in order.
    prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
           std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, key.leftAlignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, key.rightAlignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, key.dstAlignment);
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, key.dstAlignment);
    if (!isValid) {
        return false;
    }
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, &product, &left, &right, &dst, &dst, &preference, 1, &best, &found);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0 || best.state != CUBLAS_STATUS_SUCCESS) {
        return false;
    }
    algorithm = best.algo;
    libraryBytes = static_cast<std::int64_t>(best.workspaceSize);
    return true;
}

CublasProducts::CublasProducts() = default;

CublasProducts::~CublasProducts()
{
    if (m_handle != nullptr) {
        cublasLtDestroy(static_cast<cublasLtHandle_t>(m_handle));
    }
}

cudaError_t CublasProducts::create(std::unique_ptr<CublasProducts>& products)
{
    auto made = std::unique_ptr<CublasProducts>(new CublasProducts);
    cublasLtHandle_t handle = nullptr;
    const cudaError_t error = errorOf(cublasLtCreate(&handle));
    if (error == cudaSuccess) {
        made->m_handle = handle;
        products = std::move(made);
    }
    return error;
}

bool CublasProducts::prepare(const ProductLayout& layout, ProductPrecision precision,
                             std::int64_t& workspaceBytes)
{
    const ProductKey key = keyOf(layout, precision);
    auto known = m_plans.find(key);
    if (known == m_plans.end()) {
        auto plan = std::make_unique<Plan>(key, layout.bias);
        if (!plan->chooseAlgorithm(static_cast<cublasLtHandle_t>(m_handle), key)) {
            return false;
        }
        known = m_plans.emplace(key, std::move(plan)).first;
    }
    workspaceBytes = roundedUp(known->second->libraryBytes, kAlignment);
    if (precision == ProductPrecision::BFloat16) {
        workspaceBytes += roundedBytes(layout.left) + roundedBytes(layout.right);
    }
    return true;
}

bool CublasProducts::has(const ProductLayout& layout, ProductPrecision precision) const
{
    return m_plans.contains(keyOf(layout, precision));
}

void CublasProducts::run(CudaLauncher& launcher, const ProductLayout& layout,
                         ProductPrecision precision, std::byte* workspace) const
{
    const auto known = m_plans.find(keyOf(layout, precision));
    CANNERY_CHECK(known != m_plans.end());
    Plan& plan = *known->second;
    std::byte* next = workspace + roundedUp(plan.libraryBytes, kAlignment);
    const auto factor = [&](const FactorLayout& values) -> const void* {
        if (precision != ProductPrecision::BFloat16) {
            return values.data;
        }
        auto* const numbers = reinterpret_cast<std::uint16_t*>(next);
        next += roundedBytes(values);
        queueRounding(launcher, values, numbers, roundedStride(values));
        return numbers;
    };
    const void* const left = factor(layout.left);
    const void* const right = factor(layout.right);
    if (launcher.error() != cudaSuccess) {
        return;
    }
    cublasLtMatmulDescOpaque_t product = plan.product;
    if (layout.bias != nullptr) {
        launcher.keep(errorOf(cublasLtMatmulDescSetAttribute(
            &product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &layout.bias, sizeof(layout.bias))));
    }
    const float one = 1.0F;
    const float before = layout.accumulate ? 1.0F : 0.0F;
    launcher.keep(errorOf(cublasLtMatmul(
        static_cast<cublasLtHandle_t>(m_handle), &product, &one, left, &plan.left, right,
        &plan.right, &before, layout.dst, &plan.dst, layout.dst, &plan.dst, &plan.algorithm,
        workspace, static_cast<std::size_t>(plan.libraryBytes), launcher.stream())));
}

} // namespace cannery::kernels::cuda
