// SPDX-License-Identifier: Apache-2.0
#include "core/export/graph_runner/op_call.h"
#include "core/export/graph_runner/strided.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

/// A sum of products over dimensions with letters: which the result has, in its order, and which
/// are added up.
class Contraction
{
public:
    /// Of two operands; false if their dimensions do not fit.
    bool take(const std::string& letters, const Shape& shape)
    {
        if (letters.size() != shape.dims.size()) {
            return false;
        }
        const std::vector<std::int64_t> strides = rowMajorStrides(shape);
        std::map<char, std::int64_t>& own = m_strides.emplace_back();
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const auto known = m_sizes.emplace(letters[i], shape.dims[i]).first;
            // A letter twice in one operand would be a diagonal, which nothing here emits.
            if (known->second != shape.dims[i] || !own.emplace(letters[i], strides[i]).second) {
                return false;
            }
        }
        return true;
    }

    /// The letters of the result, each once, all of which operands must have.
    bool give(const std::string& letters)
    {
        std::string order = letters;
        for (const auto& [letter, size] : m_sizes) {
            if (letters.find(letter) == std::string::npos) {
                order += letter;
                m_inner.dims.push_back(size);
            }
        }
        for (const char letter : letters) {
            if (!m_sizes.contains(letter) || std::ranges::count(letters, letter) > 1) {
                return false;
            }
            m_outer.dims.push_back(m_sizes.at(letter));
        }
        m_order = order;
        return true;
    }

    const Shape& shape() const { return m_outer; }
    double products() const
    {
        double count = 1;
        for (const auto& [letter, size] : m_sizes) {
            count *= static_cast<double>(size);
        }
        return count;
    }

    std::vector<float> result(std::span<const float> left, std::span<const float> right) const
    {
        Walk leftOuter(m_outer, stridesOf(0, 0, m_outer.dims.size()));
        Walk rightOuter(m_outer, stridesOf(1, 0, m_outer.dims.size()));
        std::vector<float> result;
        for (std::int64_t i = m_outer.elementCount(); i > 0; --i) {
            Walk leftInner(m_inner, stridesOf(0, m_outer.dims.size(), m_order.size()));
            Walk rightInner(m_inner, stridesOf(1, m_outer.dims.size(), m_order.size()));
            double sum = 0;
            for (std::int64_t k = m_inner.elementCount(); k > 0; --k) {
                sum +=
                    double{
                        left[static_cast<std::size_t>(leftOuter.offset() + leftInner.offset())]} *
                    double{
                        right[static_cast<std::size_t>(rightOuter.offset() + rightInner.offset())]};
                leftInner.next();
                rightInner.next();
            }
            result.push_back(static_cast<float>(sum));
            leftOuter.next();
            rightOuter.next();
        }
        return result;
    }

private:
    /// Of an operand, for some letters of the order; 0 for those that it lacks.
    std::vector<std::int64_t> stridesOf(std::size_t operand, std::size_t first,
                                        std::size_t end) const
    {
        std::vector<std::int64_t> strides;
        for (std::size_t i = first; i < end; ++i) {
            const auto found = m_strides[operand].find(m_order[i]);
            strides.push_back(found == m_strides[operand].end() ? 0 : found->second);
        }
        return strides;
    }

    std::map<char, std::int64_t> m_sizes;
    std::vector<std::map<char, std::int64_t>> m_strides;
    std::string m_order; ///< letters of the result, then those added up
    Shape m_outer;
    Shape m_inner;
};

Result<void> contract(OpCall& call, const std::array<std::string, 3>& letters)
{
    CANNERY_TRY_ASSIGN(const auto left, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const auto right, call.values<float>(1));
    Contraction contraction;
    if (!contraction.take(letters[0], call.inputs[0]->tensor.shape) ||
        !contraction.take(letters[1], call.inputs[1]->tensor.shape) ||
        !contraction.give(letters[2])) {
        return call.invalid("multiplies tensors that do not fit together");
    }
    CANNERY_TRY(call.room(contraction.shape(), sizeof(float)));
    if (contraction.products() > kMaxProducts) {
        return call.invalid(fmt::format("needs more than {:g} products", kMaxProducts));
    }
    call.give(HostTensor::of(contraction.result(left, right), contraction.shape()));
    return {};
}

/// Of two operands, without an ellipsis: "abc,cde->abde".
Result<void> einsum(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const std::string equation, call.attr<std::string>("equation"));
    const std::size_t comma = equation.find(',');
    const std::size_t arrow = equation.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma ||
        equation.find('.') != std::string::npos) {
        return call.invalid("has the equation " + equation + ", which is not one of two tensors");
    }
    return contract(call, {equation.substr(0, comma), equation.substr(comma + 1, arrow - comma - 1),
                           equation.substr(arrow + 2)});
}

/// 0 but for some diagonals below and above the main one; a negative number means all.
Result<void> matrixBandPart(OpCall& call)
{
    CANNERY_TRY_ASSIGN(const auto values, call.values<float>(0));
    CANNERY_TRY_ASSIGN(const std::int64_t below, call.integer(1));
    CANNERY_TRY_ASSIGN(const std::int64_t above, call.integer(2));
    const Shape& shape = call.inputs[0]->tensor.shape;
    if (shape.rank() < 2) {
        return call.invalid("has no matrix");
    }
    const std::int64_t cols = shape.dims.back();
    const std::int64_t rows = shape.dims[shape.dims.size() - 2];
    std::vector<float> result(values.begin(), values.end());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        const std::int64_t distance = place % cols - place / cols % rows;
        const bool isInside = (below < 0 || -distance <= below) && (above < 0 || distance <= above);
        result[i] = isInside ? result[i] : 0.0F;
    }
    call.give(HostTensor::of(result, shape));
    return {};
}

constexpr std::array kAttentionOps{
    OpRow{"Einsum", einsum},
    OpRow{"MatrixBandPart", matrixBandPart},
};

} // namespace

std::span<const OpRow> attentionOps()
{
    return kAttentionOps;
}

} // namespace cannery::exporting
