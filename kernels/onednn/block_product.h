// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/cpu/gemm_tile.h"

#include <memory>
#include <span>

namespace cannery::kernels::onednn {

/// A product of fixed shape by oneDNN's matmul primitives, made and tried out when it is planned.
/// It has the bits of gemm_tile.h: a sum along the depth is one chain of fused products, in chunks
/// of cpu::kDepthChunk.
class BlockProduct
{
public:
    /// For tiles with the rows, columns, depth and steps of `shape`, whose pointers are not used.
    /// Null if the library refuses the shape, chooses another algorithm or gives other bits, or if
    /// memory is short.
    static std::unique_ptr<BlockProduct> planned(const cpu::GemmTile& shape);

    ~BlockProduct();
    BlockProduct(const BlockProduct&) = delete;
    BlockProduct& operator=(const BlockProduct&) = delete;

    /// tile.dst = tile.left * tile.right on the calling thread, for a tile of the planned shape
    /// without bias, relu and accumulate; several threads may call it at a time. `scratch` holds at
    /// least kGemmScratch floats. The library allocates some hundred bytes for its arguments; if it
    /// cannot, our own kernel computes the tile.
    void multiply(const cpu::GemmTile& tile, std::span<float> scratch);

private:
    struct Parts;
    explicit BlockProduct(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace cannery::kernels::onednn
