// SPDX-License-Identifier: Apache-2.0
#include "kernels/onednn/block_product.h"

#include "kernels/device/instructions.h"
#include "kernels/device/random.h"

#if CANNERY_X86_64_V3

#include "kernels/onednn/session.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::kernels::onednn {

namespace {

using cpu::GemmTile;
using cpu::kDepthChunk;

/// How many threads can use one product at a time; the others compute with our own kernel.
constexpr std::size_t kMostUsers = 32;

/// The product over one chunk of the depth. All but the first add to dst.
struct Chunk
{
    std::int64_t depth = 0;
    std::int64_t count = 1; ///< chunks of this depth, one after the other
    bool addsToDst = false;
    Primitive primitive;
    Layout left;
    Layout right;
    Layout dst;
    Layout scratch;
};

Attributes attributesOf(const Chunk& chunk)
{
    Attributes attributes = attributesWithCallersMemory();
    if (attributes == nullptr) {
        return {};
    }
    if (chunk.addsToDst) {
        const PostOperations sum = made<PostOperations>(dnnl_post_ops_create);
        if (sum == nullptr || !appendSum(sum.get()) ||
            dnnl_primitive_attr_set_post_ops(attributes.get(), sum.get()) != dnnl_success) {
            return {};
        }
    }
    return attributes;
}

/// Whether it is the algorithm whose sums are one chain, "brg:avx512…" or, in later versions,
/// "brg_matmul:avx512…". The others, which the library takes without AVX-512, are hardly faster
/// than our own and have other bits.
bool isOneChain(std::string_view algorithm)
{
    return algorithm.starts_with("brg") && algorithm.find(":avx512") != std::string_view::npos;
}

/// Makes the primitive of a chunk whose depth is set; false if the library has none that is of use.
bool plan(Chunk& chunk, const GemmTile& shape)
{
    chunk.left =
        Layout::ofMatrix(shape.rows, chunk.depth, shape.left.outerStep, shape.left.depthStep);
    chunk.right =
        Layout::ofMatrix(chunk.depth, shape.cols, shape.right.depthStep, shape.right.outerStep);
    chunk.dst = Layout::ofMatrix(shape.rows, shape.cols, shape.dstStride, 1);
    const Attributes attributes = attributesOf(chunk);
    if (!chunk.left.isKnown() || !chunk.right.isKnown() || !chunk.dst.isKnown() ||
        attributes == nullptr) {
        return false;
    }
    const Description description =
        describeProduct(engine(), chunk.left, chunk.right, chunk.dst, attributes.get());
    const char* algorithm = nullptr;
    if (description == nullptr ||
        dnnl_primitive_desc_query(description.get(), dnnl_query_impl_info_str, 0,
                                  static_cast<void*>(&algorithm)) != dnnl_success ||
        !isOneChain(algorithm)) {
        return false;
    }
    chunk.scratch = Layout::ofScratch(description.get());
    // The caller's memory is of a fixed size.
    if (!chunk.scratch.isKnown() || chunk.scratch.bytes() > cpu::kGemmScratch * sizeof(float)) {
        return false;
    }
    chunk.primitive = made<Primitive>(dnnl_primitive_create, description.get());
    return chunk.primitive != nullptr;
}

/// A chunk's arguments, for one user at a time.
struct Arguments
{
    Memory left;
    Memory right;
    Memory dst;
    Memory scratch;
};

bool prepare(Arguments& arguments, const Chunk& chunk)
{
    arguments.left = memoryOf(chunk.left);
    arguments.right = memoryOf(chunk.right);
    arguments.dst = memoryOf(chunk.dst);
    arguments.scratch = memoryOf(chunk.scratch);
    return arguments.left != nullptr && arguments.right != nullptr && arguments.dst != nullptr &&
           arguments.scratch != nullptr;
}

bool execute(dnnl_stream_t stream, const Chunk& chunk, const Arguments& arguments,
             const GemmTile& tile, std::span<float> scratch)
{
    const std::array<dnnl_exec_arg_t, 4> list = {{
        {DNNL_ARG_SRC, arguments.left.get()},
        {DNNL_ARG_WEIGHTS, arguments.right.get()},
        {DNNL_ARG_DST, arguments.dst.get()},
        {DNNL_ARG_SCRATCHPAD, arguments.scratch.get()},
    }};
    return pointTo(arguments.left, tile.left.data) && pointTo(arguments.right, tile.right.data) &&
           pointTo(arguments.dst, tile.dst) && pointTo(arguments.scratch, scratch.data()) &&
           dnnl_primitive_execute(chunk.primitive.get(), stream, static_cast<int>(list.size()),
                                  list.data()) == dnnl_success;
}

/// What one thread at a time needs; made when the first one comes.
struct User
{
    std::atomic_flag busy;
    Stream stream;
    std::vector<Arguments> arguments; ///< for each of the product's chunks
};

bool prepare(User& user, const std::vector<Chunk>& chunks)
{
    // Made once, and kept for the next product.
    if (!user.arguments.empty()) {
        return true;
    }
    std::vector<Arguments> arguments(chunks.size());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (!prepare(arguments[i], chunks[i])) {
            return false;
        }
    }
    user.stream = made<Stream>(dnnl_stream_create, engine(), unsigned{dnnl_stream_default_flags});
    if (user.stream == nullptr) {
        return false;
    }
    // Only now: a half-made list would look complete.
    user.arguments = std::move(arguments);
    return true;
}

bool multiply(User& user, const std::vector<Chunk>& chunks, GemmTile tile, std::span<float> scratch)
{
    const OneThread one;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        for (std::int64_t turn = 0; turn < chunks[i].count; ++turn) {
            if (!execute(user.stream.get(), chunks[i], user.arguments[i], tile, scratch)) {
                return false;
            }
            tile.left.data += chunks[i].depth * tile.left.depthStep;
            tile.right.data += chunks[i].depth * tile.right.depthStep;
        }
    }
    return true;
}

std::vector<Chunk> chunksOf(std::int64_t depth)
{
    std::vector<Chunk> chunks;
    const auto add = [&](std::int64_t chunkDepth, std::int64_t count) {
        Chunk& chunk = chunks.emplace_back();
        chunk.depth = chunkDepth;
        chunk.count = count;
        chunk.addsToDst = chunks.size() > 1;
    };
    add(std::min(depth, kDepthChunk), 1);
    // The first chunk overwrites dst, and the others add to it.
    const std::int64_t rest = depth - chunks[0].depth;
    if (rest >= kDepthChunk) {
        add(kDepthChunk, rest / kDepthChunk);
    }
    if (rest % kDepthChunk > 0) {
        add(rest % kDepthChunk, 1);
    }
    return chunks;
}

std::vector<float> randomNumbers(std::int64_t count, std::uint64_t seed)
{
    RandomStream random(seed);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    std::ranges::generate(numbers, [&] { return random.nextUniform(-1.0F, 1.0F); });
    return numbers;
}

/// The product by our own kernel.
void multiplyOurselves(const GemmTile& whole, std::span<float> scratch)
{
    for (std::int64_t row = 0; row < whole.rows; row += cpu::kMaxTileRows) {
        GemmTile tile = whole;
        tile.left = whole.left.from(row);
        tile.dst = whole.dst + row * whole.dstStride;
        tile.rows = std::min(cpu::kMaxTileRows, whole.rows - row);
        cpu::multiplyTile(cpu::kGemmAvx512, tile, scratch);
    }
}

/// The number of floats of `outer` rows or columns along `depth`.
std::int64_t sizeOf(const cpu::GemmFactor& factor, std::int64_t outer, std::int64_t depth)
{
    return (outer - 1) * factor.outerStep + (depth - 1) * factor.depthStep + 1;
}

} // namespace

struct BlockProduct::Parts
{
    /// False if the library fails, or has too many users.
    bool multiply(const GemmTile& tile, std::span<float> scratch);
    /// Whether each chunk has the bits of our own kernel, tried with numbers of both signs.
    bool hasOwnBits(const GemmTile& shape);

    std::vector<Chunk> chunks;
    std::array<User, kMostUsers> users;
};

bool BlockProduct::Parts::multiply(const GemmTile& tile, std::span<float> scratch)
{
    // Each user is taken by one thread at a time.
    const auto free = std::ranges::find_if(
        users, [](User& user) { return !user.busy.test_and_set(std::memory_order_acquire); });
    if (free == users.end()) {
        return false;
    }
    bool isDone = false;
    try {
        // The caller computes the product itself.
        isDone = prepare(*free, chunks) && onednn::multiply(*free, chunks, tile, scratch);
    } catch (const std::exception&) {
        isDone = false;
    }
    free->busy.clear(std::memory_order_release);
    return isDone;
}

bool BlockProduct::Parts::hasOwnBits(const GemmTile& shape)
{
    const std::int64_t depth = chunks[0].depth;
    const std::vector<float> left = randomNumbers(sizeOf(shape.left, shape.rows, depth), 1);
    const std::vector<float> right = randomNumbers(sizeOf(shape.right, shape.cols, depth), 2);
    std::vector<float> own = randomNumbers(shape.rows * shape.dstStride, 3);
    std::vector<float> theirs = own;
    std::vector<float> scratch(static_cast<std::size_t>(cpu::kGemmScratch));
    GemmTile tile = shape;
    tile.left.data = left.data();
    tile.right.data = right.data();
    if (!prepare(users[0], chunks)) {
        return false;
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        tile.depth = chunks[i].depth;
        tile.accumulate = chunks[i].addsToDst;
        tile.dst = own.data();
        multiplyOurselves(tile, scratch);
        tile.dst = theirs.data();
        if (!execute(users[0].stream.get(), chunks[i], users[0].arguments[i], tile, scratch)) {
            return false;
        }
    }
    // A version of the library whose bits differ is not used.
    return std::memcmp(own.data(), theirs.data(), own.size() * sizeof(float)) == 0;
}

BlockProduct::BlockProduct(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}

BlockProduct::~BlockProduct() = default;

std::unique_ptr<BlockProduct> BlockProduct::planned(const GemmTile& shape)
{
    try {
        const OneThread one;
        auto parts = std::make_unique<Parts>();
        parts->chunks = chunksOf(shape.depth);
        const auto isPlanned = [&](Chunk& chunk) { return hasRoomForCode() && plan(chunk, shape); };
        if (engine() == nullptr || !std::ranges::all_of(parts->chunks, isPlanned) ||
            !parts->hasOwnBits(shape)) {
            return nullptr;
        }
        return std::unique_ptr<BlockProduct>(new BlockProduct(std::move(parts)));
    } catch (const std::exception&) {
        return nullptr;
    }
}

void BlockProduct::multiply(const GemmTile& tile, std::span<float> scratch)
{
    if (!m_parts->multiply(tile, scratch)) {
        multiplyOurselves(tile, scratch);
    }
}

} // namespace cannery::kernels::onednn

#endif
