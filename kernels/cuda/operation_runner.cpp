// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/operation_runner.h"

#include "kernels/accelerator/bodies/center_sums.h"
#include "kernels/accelerator/bodies/thin_product.h"
#include "kernels/cuda/cublas_products.h"
#include "kernels/cuda/cuda_launcher.h"
#include "kernels/cuda/product_operations.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>
#include <variant>

namespace cannery::kernels::cuda {

namespace {

/// The product alone: a bias that comes before an activation is added by that.
Product withoutActivation(Product product)
{
    if (needsActivation(product)) {
        product.bias = nullptr;
        product.activation = Activation::Linear;
    }
    return product;
}

bool isEmpty(const Product& product)
{
    return product.dst.rows == 0 || product.dst.cols == 0;
}

/// An empty sentence, or why entries with keys below `keys` cannot be sorted.
template <typename Scratch>
std::string refusalOf(const Scratch& scratch, std::int64_t keys)
{
    const std::int64_t needed = sortBytes(scratch.count, keys);
    // The memory was sized by the caller, for the numbers it knew.
    if (needed <= scratch.sortBytes) {
        return {};
    }
    return fmt::format("sorting {} entries needs {} bytes of memory, and there are {}",
                       scratch.count, needed, scratch.sortBytes);
}

template <typename Lookup>
std::string refusalOfLookup(const Lookup& lookup)
{
    return refusalOf(bodies::LookupScratch::in(lookup.scratch, lookup.ids.capacity),
                     lookup.table.rows);
}

} // namespace

OperationRunner::OperationRunner(std::unique_ptr<CublasProducts> products)
    : m_products(std::move(products))
{}

OperationRunner::~OperationRunner() = default;

cudaError_t OperationRunner::create(int device, std::unique_ptr<OperationRunner>& runner)
{
    if (const cudaError_t error = cudaSetDevice(device); error != cudaSuccess) {
        return error;
    }
    // The device is current for what is made now.
    std::unique_ptr<CublasProducts> products;
    const cudaError_t error = CublasProducts::create(products);
    if (error == cudaSuccess) {
        runner.reset(new OperationRunner(std::move(products)));
    }
    return error;
}

std::string OperationRunner::prepare(const Operation& operation, std::int64_t& workspaceBytes)
{
    workspaceBytes = CudaLauncher::kWorkspaceBytes;
    if (const auto* const lookup = std::get_if<LookupGradient>(&operation)) {
        return refusalOfLookup(*lookup);
    }
    if (const auto* const lookup = std::get_if<LookupDenseGradient>(&operation)) {
        return refusalOfLookup(*lookup);
    }
    if (const auto* const sum = std::get_if<SumByCenter>(&operation)) {
        return refusalOf(bodies::CenterScratch::of(*sum), sum->centers);
    }
    const auto* const product = std::get_if<Product>(&operation);
    // Thin products and empty ones need no cuBLASLt.
    if (product != nullptr && !isEmpty(*product) && !bodies::isThin(*product)) {
        std::int64_t bytes = 0;
        if (m_products->prepare(layoutOf(*product), product->precision, bytes)) {
            workspaceBytes += bytes;
        }
    }
    return {};
}

/// Those that cuBLASLt has no kernel for (it may refuse an alignment) are computed by ours.
void OperationRunner::queueProduct(CudaLauncher& launcher, const Product& product,
                                   std::byte* workspace) const
{
    // A launch of nothing would be an error.
    if (isEmpty(product)) {
        return;
    }
    const ProductLayout layout = layoutOf(product);
    if (!bodies::isThin(product) && m_products->has(layout, product.precision)) {
        m_products->run(launcher, layout, product.precision,
                        workspace + CudaLauncher::kWorkspaceBytes);
    } else {
        queueThinProduct(launcher, withoutActivation(product));
    }
    if (needsActivation(product)) {
        queue(launcher, Activate{product.activation, product.dst, product.bias, product.dst});
    }
}

cudaError_t OperationRunner::run(const Operation& operation, cudaStream_t stream,
                                 std::byte* workspace)
{
    CudaLauncher launcher(stream, workspace);
    std::visit(
        [&](const auto& work) {
            if constexpr (std::is_same_v<decltype(work), const Product&>) {
                queueProduct(launcher, work, workspace);
            } else if constexpr (!kMeetsOthers<std::remove_cvref_t<decltype(work)>>) {
                // Exchanges with other members are not this device's own work.
                queue(launcher, work);
            }
        },
        operation);
    return launcher.error();
}

std::vector<AcceleratorKernel> OperationRunner::kernels() const
{
    return {{"product", "cublaslt"},
            {"thin product", "bodies"},
            {"product of a layout that cublaslt refuses", "bodies"},
            {"sort", "cub"},
            {"others", "bodies"}};
}

} // namespace cannery::kernels::cuda
