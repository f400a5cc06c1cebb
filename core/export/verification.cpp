// SPDX-License-Identifier: Apache-2.0
#include "core/export/verification.h"

#include "core/export/graph_runner/graph_runner.h"
#include "core/export/served_rows.h"

#include <algorithm>
#include <cmath>

namespace cannery::exporting {

using storage::HostTensor;

namespace {

constexpr ErrorKind kDisagrees{
    "export.disagrees",
    "The SavedModel disagrees with the model: of {} rows, {} get the same predictions; row {} gets "
    "{} = {} instead of {}. Nothing was exported."};
constexpr ErrorKind kLacksOutput{
    "export.lacks_output",
    "The SavedModel lacks the prediction '{}' of the model. Nothing was exported."};
constexpr ErrorKind kWrongOutput{"export.wrong_output",
                                 "The SavedModel returns '{}' as {} of shape {}, which is not what "
                                 "the model predicts. Nothing was exported."};

constexpr double kTolerance = 1e-5;
constexpr std::string_view kSignature = "predict";

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
    Comparison(const heads::Prediction& expected, const HostTensor& got)
        : m_expected(expected), m_got(got)
    {}

    /// Whether the tensor can hold this prediction for this many rows.
    bool fits(std::size_t rows) const
    {
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
        switch (m_expected.dtype) {
        case DType::Float32:
            return isClose(static_cast<double>(m_expected.floats[place]),
                           static_cast<double>(m_got.values<float>()[at]), largest);
        case DType::String:
            return m_expected.strings[place] == m_got.strings[at];
        default:
            return m_expected.integers[place] == integer(at);
        }
    }

    static bool isClose(double wanted, double got, double& largest)
    {
        if (!std::isfinite(wanted) || !std::isfinite(got)) {
            return wanted == got || (std::isnan(wanted) && std::isnan(got));
        }
        const double scale = std::max({1.0, std::abs(wanted), std::abs(got)});
        const double difference = std::abs(wanted - got) / scale;
        largest = std::max(largest, difference);
        return difference <= kTolerance;
    }

    std::int64_t integer(std::size_t at) const
    {
        switch (m_got.dtype) {
        case DType::Bool:
            return static_cast<std::int64_t>(m_got.bytes[at]);
        case DType::Int64:
            return m_got.values<std::int64_t>()[at];
        default:
            return m_got.values<std::int32_t>()[at];
        }
    }
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
};

Result<std::vector<Comparison>> comparisonsOf(const VerificationRequest& request,
                                              const NamedTensors& outputs, std::size_t rows)
{
    std::vector<Comparison> comparisons;
    for (const heads::Prediction& expected : request.expected) {
        const auto found = outputs.find(expected.key);
        if (found == outputs.end()) {
            return fail(ErrorCode::DataLoss, kLacksOutput, expected.key);
        }
        comparisons.emplace_back(expected, found->second);
        if (!comparisons.back().fits(rows)) {
            return fail(ErrorCode::DataLoss, kWrongOutput, expected.key, name(found->second.dtype),
                        found->second.shape.toString());
        }
    }
    return comparisons;
}

Result<Verification> compare(const VerificationRequest& request, const ServedRows& served,
                             const NamedTensors& outputs)
{
    CANNERY_TRY_ASSIGN(const std::vector<Comparison> comparisons,
                       comparisonsOf(request, outputs, served.rows.size()));
    Verification result{.rows = static_cast<std::int64_t>(served.rows.size())};
    std::optional<Disagreement> first;
    std::int64_t firstRow = 0;
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
    if (first) {
        return fail(ErrorCode::DataLoss, kDisagrees, result.rows, result.equal, firstRow + 1,
                    first->key, first->got, first->wanted);
    }
    return result;
}

/// Of "predict"; or, as TensorFlow exports k-means, of a signature for each prediction.
Result<NamedTensors> predictionsOf(GraphRunner& runner, const VerificationRequest& request,
                                   const NamedTensors& inputs)
{
    const std::string signature(kSignature);
    if (runner.signatures().contains(signature)) {
        return runner.run(signature, inputs);
    }
    NamedTensors outputs;
    for (const heads::Prediction& expected : request.expected) {
        CANNERY_TRY_ASSIGN(NamedTensors output, runner.run(expected.key, inputs));
        if (output.size() != 1) {
            return fail(ErrorCode::DataLoss, kLacksOutput, expected.key);
        }
        outputs[expected.key] = std::move(output.begin()->second);
    }
    return outputs;
}

} // namespace

Result<Verification> verifySavedModel(const std::string& folder, const VerificationRequest& request)
{
    CANNERY_TRY_ASSIGN(GraphRunner runner, GraphRunner::load(folder));
    auto found = runner.signatures().find(std::string(kSignature));
    if (found == runner.signatures().end() && !request.expected.empty()) {
        found = runner.signatures().find(request.expected.front().key);
    }
    if (found == runner.signatures().end()) {
        return fail(ErrorCode::DataLoss, kLacksOutput, kSignature);
    }
    std::optional<ServedRows> served =
        request.receiver == features::Receiver::Parsing
            ? std::optional(servedExamples(request.rows, runner.parsedKeys()))
            : servedTensors(request.rows, found->second.inputs);
    if (!served || served->rows.empty()) {
        return Verification{};
    }
    CANNERY_TRY_ASSIGN(const NamedTensors outputs, predictionsOf(runner, request, served->inputs));
    return compare(request, *served, outputs);
}

} // namespace cannery::exporting
