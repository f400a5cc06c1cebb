// SPDX-License-Identifier: Apache-2.0
#include "core/export/verification.h"

#include "core/export/graph_runner/graph_runner.h"
#include "core/export/rounding.h"
#include "core/export/served_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

constexpr ErrorKind kDisagrees{
    "export.disagrees",
    "The SavedModel disagrees with the model: of {} rows, {} get the same predictions; row {} gets "
    "{} = {} instead of {}. Nothing was exported."};
constexpr ErrorKind kDisagreesAtEdges{
    "export.disagrees_at_boundaries",
    "The SavedModel disagrees with the model next to the boundaries of buckets and the splits of "
    "trees: of {} rows with such numbers, {} get the same predictions; one gets {} = {} instead of "
    "{}. Nothing was exported."};
constexpr ErrorKind kLacksOutput{
    "export.lacks_output",
    "The SavedModel lacks the prediction '{}' of the model. Nothing was exported."};
constexpr ErrorKind kWrongOutput{"export.wrong_output",
                                 "The SavedModel returns '{}' as {} of shape {}, which is not what "
                                 "the model predicts. Nothing was exported."};

/// The first difference in a row.
struct Disagreement
{
    std::string key;
    std::string got;
    std::string wanted;
};

/// Compares a prediction of the model with that of the SavedModel, row by row. Steps of a row are
/// the first of its padded ones there.
class Comparison
{
public:
    Comparison(const heads::Prediction& expected, const HostTensor& got, Rounding& rounding)
        : m_expected(expected), m_got(got), m_rounding(rounding)
    {}

    /// Whether the tensor can hold this prediction for this many rows.
    bool fits(std::size_t rows) const
    {
        // Integers agree by value, whichever of the two widths the graph declares.
        const bool isTyped = m_expected.dtype != DType::Int64 && m_expected.dtype != DType::Int32;
        const bool sameKind = isTyped ? m_got.dtype == m_expected.dtype
                                      : m_got.dtype == DType::Int64 || m_got.dtype == DType::Int32;
        const auto count = static_cast<std::int64_t>(rows) * m_expected.width;
        return sameKind && m_got.shape.elementCount() == count * paddedSteps();
    }

    std::optional<Disagreement> compareRow(std::int64_t row, std::size_t served,
                                           double& largest) const
    {
        const auto [first, count] = m_expected.elementsOf(row);
        const auto each = static_cast<std::size_t>(paddedSteps() * m_expected.width);
        // The graph lacks steps of this row.
        if (static_cast<std::size_t>(count) > each) {
            return Disagreement{m_expected.key, fmt::format("{} values", each),
                                fmt::format("{} values", count)};
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
            const std::size_t place = static_cast<std::size_t>(first) + i;
            const std::size_t at = served * each + i;
            if (!isSame(place, at, largest)) {
                return Disagreement{m_expected.key, got(at), wanted(place)};
            }
        }
        return comparePadding(served * each, static_cast<std::size_t>(count), each);
    }

private:
    /// Of the SavedModel's prediction; 1 if it is one of rows.
    std::int64_t paddedSteps() const
    {
        const bool hasSteps = !m_expected.stepOffsets.empty() && m_got.shape.rank() > 1;
        return hasSteps ? m_got.shape.dims[1] : 1;
    }
    /// A mask is false after the last step of a row.
    std::optional<Disagreement> comparePadding(std::size_t begin, std::size_t count,
                                               std::size_t each) const
    {
        for (std::size_t i = count; m_expected.dtype == DType::Bool && i < each; ++i) {
            if (integer(begin + i) != 0) {
                return Disagreement{m_expected.key, got(begin + i), "0"};
            }
        }
        return std::nullopt;
    }
    bool isSame(std::size_t place, std::size_t at, double& largest) const
    {
        const std::string& key = m_expected.key;
        switch (m_expected.dtype) {
        case DType::Float32: {
            const auto expected = static_cast<double>(m_expected.floats[place]);
            const float value = m_got.values<float>()[at];
            // A larger difference may still be rounding, which costs further runs of the graph to
            // find out, so it is tested last.
            return isClose(expected, static_cast<double>(value), largest) ||
                   m_rounding.allowsNumber(key, at, value, expected);
        }
        case DType::String: {
            const auto isWanted = [&](const HostTensor& tensor) {
                return at < tensor.strings.size() &&
                       m_expected.strings[place] == tensor.strings[at];
            };
            return isWanted(m_got) || m_rounding.allows(key, isWanted);
        }
        default: {
            const auto isWanted = [&](const HostTensor& tensor) {
                return std::cmp_less(at, tensor.shape.elementCount()) &&
                       m_expected.integers[place] == integerOf(tensor, at);
            };
            return isWanted(m_got) || m_rounding.allows(key, isWanted);
        }
        }
    }

    static bool isClose(double wanted, double got, double& largest)
    {
        if (!std::isfinite(wanted) || !std::isfinite(got)) {
            return wanted == got || (std::isnan(wanted) && std::isnan(got));
        }
        // Relative to the larger one, but at least to 1: logits near 0 carry the rounding of terms
        // near 1.
        const double scale = std::max({1.0, std::abs(wanted), std::abs(got)});
        const double difference = std::abs(wanted - got) / scale;
        largest = std::max(largest, difference);
        return difference <= kTolerance;
    }

    static std::int64_t integerOf(const HostTensor& tensor, std::size_t at)
    {
        switch (tensor.dtype) {
        case DType::Bool:
            return static_cast<std::int64_t>(tensor.bytes[at]);
        case DType::Int64:
            return tensor.values<std::int64_t>()[at];
        default:
            return tensor.values<std::int32_t>()[at];
        }
    }
    std::int64_t integer(std::size_t at) const { return integerOf(m_got, at); }
    std::string got(std::size_t at) const
    {
        switch (m_expected.dtype) {
        case DType::Float32:
            return fmt::format("{:.8g}", m_got.values<float>()[at]);
        case DType::String:
            return m_got.strings[at];
        default:
            return std::to_string(integer(at));
        }
    }
    std::string wanted(std::size_t place) const
    {
        switch (m_expected.dtype) {
        case DType::Float32:
            return fmt::format("{:.8g}", m_expected.floats[place]);
        case DType::String:
            return std::string(m_expected.strings[place]);
        default:
            return std::to_string(m_expected.integers[place]);
        }
    }

    const heads::Prediction& m_expected;
    const HostTensor& m_got;
    Rounding& m_rounding;
};

Result<std::vector<Comparison>> comparisonsOf(const VerificationRequest& request,
                                              const NamedTensors& outputs, std::size_t rows,
                                              Rounding& rounding)
{
    std::vector<Comparison> comparisons;
    for (const heads::Prediction& expected : request.expected) {
        const auto found = outputs.find(expected.key);
        if (found == outputs.end()) {
            return fail(ErrorCode::DataLoss, kLacksOutput, expected.key);
        }
        comparisons.emplace_back(expected, found->second, rounding);
        if (!comparisons.back().fits(rows)) {
            return fail(ErrorCode::DataLoss, kWrongOutput, expected.key, name(found->second.dtype),
                        found->second.shape.toString());
        }
    }
    return comparisons;
}

Result<Verification> compare(const VerificationRequest& request, const ServedRows& served,
                             const NamedTensors& outputs, Rounding& rounding)
{
    CANNERY_TRY_ASSIGN(const std::vector<Comparison> comparisons,
                       comparisonsOf(request, outputs, served.rows.size(), rounding));
    Verification result{.rows = static_cast<std::int64_t>(served.rows.size())};
    std::optional<Disagreement> first;
    std::int64_t firstRow = 0;
    // All rows are compared, also after a difference: the message counts those that agree.
    for (std::size_t i = 0; i < served.rows.size(); ++i) {
        std::optional<Disagreement> difference;
        for (const Comparison& comparison : comparisons) {
            std::optional<Disagreement> found =
                comparison.compareRow(served.rows[i], i, result.maxDifference);
            difference = difference ? difference : std::move(found);
        }
        result.equal += difference ? 0 : 1;
        if (difference && !first) {
            first = std::move(difference);
            firstRow = served.rows[i];
        }
    }
    if (first && request.areEdges) {
        return fail(ErrorCode::DataLoss, kDisagreesAtEdges, result.rows, result.equal, first->key,
                    first->got, first->wanted);
    }
    if (first) {
        return fail(ErrorCode::DataLoss, kDisagrees, result.rows, result.equal, firstRow + 1,
                    first->key, first->got, first->wanted);
    }
    return result;
}

/// "predict"; or, as TensorFlow exports k-means, a signature for each prediction.
/// k-means in TensorFlow has no "predict", as its head exports one signature per output.
std::vector<std::string> signaturesOf(const GraphRunner& runner, const VerificationRequest& request)
{
    std::vector<std::string> signatures{std::string(kPredictSignature)};
    if (!runner.signatures().contains(signatures.front())) {
        signatures.clear();
        for (const heads::Prediction& expected : request.expected) {
            signatures.push_back(expected.key);
        }
    }
    return signatures;
}

/// By their keys; of a signature for one prediction, by that of the signature.
Result<NamedTensors> predictionsOf(GraphRunner& runner, const std::vector<std::string>& signatures,
                                   const NamedTensors& inputs)
{
    if (signatures.front() == kPredictSignature) {
        return runner.run(signatures.front(), inputs);
    }
    NamedTensors outputs;
    for (const std::string& signature : signatures) {
        CANNERY_TRY_ASSIGN(NamedTensors output, runner.run(signature, inputs));
        if (output.size() != 1) {
            return fail(ErrorCode::DataLoss, kLacksOutput, signature);
        }
        outputs[signature] = std::move(output.begin()->second);
    }
    return outputs;
}

} // namespace

Result<Verification> verifySavedModel(const std::string& folder, const VerificationRequest& request)
{
    CANNERY_TRY_ASSIGN(GraphRunner runner, GraphRunner::load(folder));
    const std::vector<std::string> signatures = signaturesOf(runner, request);
    const auto found = runner.signatures().find(signatures.empty() ? "" : signatures.front());
    if (found == runner.signatures().end()) {
        return fail(ErrorCode::DataLoss, kLacksOutput, kPredictSignature);
    }
    // Examples hold any feature that the graph parses; tensors must be exactly the inputs.
    std::optional<ServedRows> served =
        request.receiver == features::Receiver::Parsing
            ? std::optional(servedExamples(request.rows, runner.parsedKeys()))
            : servedTensors(request.rows, found->second.inputs, request.numbers);
    if (!served || served->rows.empty()) {
        return Verification{};
    }
    Verification result;
    // Grappler's rewrites, as division to multiplication, may move a number over a boundary, so
    // both forms are compared.
    do { // as it was written, then as a server makes it faster
        Rounding rounding(runner, signatures, served->inputs);
        CANNERY_TRY_ASSIGN(const NamedTensors outputs,
                           predictionsOf(runner, signatures, served->inputs));
        CANNERY_TRY_ASSIGN(const Verification agreed, compare(request, *served, outputs, rounding));
        result = agreed;
    } while (runner.optimize());
    return result;
}

} // namespace cannery::exporting
