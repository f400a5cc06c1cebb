// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/column_sums.h"
#include "kernels/math/rounding.h"

/// Products that a library has no good kernel for: of hardly any columns (logits) or hardly any
/// depth (one numeric column). They read their large factor once. Sums are in double.
namespace cannery::kernels::bodies {

/// As many columns, or as much depth, make a product thin.
inline constexpr std::int64_t kMostThin = 4;

/// What a product sums over.
CANNERY_HOST_DEVICE inline std::int64_t depthOf(const Product& product)
{
    return product.kind == ProductKind::WeightsGradient ? product.a.rows : product.a.cols;
}

CANNERY_HOST_DEVICE inline float rounded(float value, ProductPrecision precision)
{
    switch (precision) {
    case ProductPrecision::BFloat16:
        return fromBFloat16(toBFloat16(value));
    case ProductPrecision::TensorFloat32:
        return toTensorFloat32(value);
    case ProductPrecision::Float32:
        break;
    }
    return value;
}

/// One term of the sum of an element of dst.
template <ProductKind kind>
CANNERY_HOST_DEVICE double productTerm(const Product& product, Place place, std::int64_t k)
{
    constexpr bool kIsOfRows = kind == ProductKind::WeightsGradient;
    const Place left = kIsOfRows ? Place{k, place.row} : Place{place.row, k};
    const Place right =
        kind == ProductKind::SrcGradient ? Place{place.col, k} : Place{k, place.col};
    const float a = rounded(element(product.a, left), product.precision);
    return static_cast<double>(a) * rounded(element(product.b, right), product.precision);
}

/// Without the activation.
CANNERY_HOST_DEVICE inline void storeProduct(const Product& product, Place place, double sum)
{
    float& target = element(product.dst, place);
    const double before = product.accumulate ? target : 0.0;
    const double bias = product.bias == nullptr ? 0.0 : product.bias[place.col];
    target = static_cast<float>(before + sum + bias);
}

/// For each element of dst: for little depth. For any other it is right, but slow.
template <ProductKind kind>
struct ElementProductBody
{
    Product product;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, product.dst.cols);
        const std::int64_t depth = depthOf(product);
        double sum = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
            sum += productTerm<kind>(product, place, k);
        }
        storeProduct(product, place, sum);
    }
};

/// For few columns: kLanes threads share the depth of a row, which they read side by side.
template <ProductKind kind>
struct RowProductBody
{
    static_assert(kind != ProductKind::WeightsGradient);
    static constexpr int kThreads = 256;
    static constexpr int kLanes = 32;
    static constexpr std::int64_t kRows = kThreads / kLanes;
    struct Shared
    {
        double sums[kMostThin][kThreads];
    };

    Product product;

    std::int64_t blocks() const { return blocksOf(product.dst.rows, kRows); }
    CANNERY_HOST_DEVICE int phases() const { return halvings(kLanes) + 2; }

    CANNERY_HOST_DEVICE void operator()(int phase, int thread, std::int64_t block,
                                        Shared& shared) const
    {
        const int lane = thread % kLanes;
        const std::int64_t row = block * kRows + thread / kLanes;
        if (row >= product.dst.rows) {
            return;
        }
        if (phase == 0) {
            sum(row, lane, thread, shared);
        } else if (phase <= halvings(kLanes)) {
            const int half = kLanes >> phase;
            for (std::int64_t c = 0; lane < half && c < product.dst.cols; ++c) {
                shared.sums[c][thread] += shared.sums[c][thread + half];
            }
        } else if (lane < product.dst.cols) {
            storeProduct(product, {row, lane}, shared.sums[lane][thread - lane]);
        }
    }

private:
    CANNERY_HOST_DEVICE void sum(std::int64_t row, int lane, int thread, Shared& shared) const
    {
        const std::int64_t depth = depthOf(product);
        double sums[kMostThin] = {};
        for (std::int64_t k = lane; k < depth; k += kLanes) {
            for (std::int64_t c = 0; c < kMostThin; ++c) {
                if (c < product.dst.cols) {
                    sums[c] += productTerm<kind>(product, {row, c}, k);
                }
            }
        }
        for (std::int64_t c = 0; c < kMostThin; ++c) {
            shared.sums[c][thread] = sums[c];
        }
    }
};

/// Of a weights gradient with few rows or columns: each of its elements is the sum of a column.
struct WeightsGradientTerms
{
    static constexpr int kSums = 1;
    using Item = double;
    Product product;

    CANNERY_HOST_DEVICE std::int64_t rows() const { return product.a.rows; }
    CANNERY_HOST_DEVICE std::int64_t cols() const { return product.dst.rows * product.dst.cols; }
    CANNERY_HOST_DEVICE double load(std::int64_t row, std::int64_t col) const
    {
        const Place place = placeOf(col, product.dst.cols);
        return productTerm<ProductKind::WeightsGradient>(product, place, row);
    }
    CANNERY_HOST_DEVICE void add(double term, std::int64_t, std::int64_t, double* sums) const
    {
        sums[0] += term;
    }
    CANNERY_HOST_DEVICE void finish(std::int64_t col, const double* sums) const
    {
        storeProduct(product, placeOf(col, product.dst.cols), sums[0]);
    }
};

/// Whether one of thinProduct()'s kernels is made for it.
inline bool isThin(const Product& product)
{
    const bool isThinGradient =
        product.kind == ProductKind::WeightsGradient && product.dst.rows <= kMostThin;
    return depthOf(product) <= kMostThin || product.dst.cols <= kMostThin || isThinGradient;
}

template <ProductKind kind, typename Launcher>
void elementProduct(Launcher& launcher, const Product& product)
{
    launcher.forEach(product.dst.rows * product.dst.cols, ElementProductBody<kind>{product});
}

/// Any product without its activation, by the kernel that suits it best.
template <typename Launcher>
void thinProduct(Launcher& launcher, const Product& product)
{
    const bool isShallow = depthOf(product) <= kMostThin;
    const bool isNarrow = !isShallow && product.dst.cols <= kMostThin;
    switch (product.kind) {
    case ProductKind::Forward:
        if (isNarrow) {
            const RowProductBody<ProductKind::Forward> body{product};
            return launcher.forEachBlock(body.blocks(), body);
        }
        return elementProduct<ProductKind::Forward>(launcher, product);
    case ProductKind::SrcGradient:
        if (isNarrow) {
            const RowProductBody<ProductKind::SrcGradient> body{product};
            return launcher.forEachBlock(body.blocks(), body);
        }
        return elementProduct<ProductKind::SrcGradient>(launcher, product);
    case ProductKind::WeightsGradient:
        if (isShallow) {
            return elementProduct<ProductKind::WeightsGradient>(launcher, product);
        }
        return sumColumns(launcher, WeightsGradientTerms{product});
    }
}

} // namespace cannery::kernels::bodies
