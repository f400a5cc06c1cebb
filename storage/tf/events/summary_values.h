// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/events/event_reader.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the values of event files mean to TensorBoard's panels. Every function takes what any file
/// may hold: not a number, infinite, unsorted or missing parts never fail, they are left out.
namespace cannery::storage {

/// A histogram as TensorBoard draws it: bin i holds counts[i] values from edges[i] to edges[i + 1].
/// Empty bins at both ends are dropped, and the outermost edges are the smallest and the largest
/// value.
struct HistogramBins
{
    double min = 0;
    double max = 0;
    double count = 0;           ///< of all values; 0: no bins
    std::vector<double> edges;  ///< finite, ascending; a bin may have no width
    std::vector<double> counts; ///< finite, not negative; one fewer than edges

    bool operator==(const HistogramBins&) const = default;
};
HistogramBins binsOf(const EventHistogram& histogram);

/// The shares of the values, in ten thousandths, whose bounds TensorBoard's Distributions shows:
/// everything, three, two and one standard deviations of a normal distribution, and the median.
inline constexpr std::array<int, 9> kBasisPoints{0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000};
/// The values below which these shares lie, as TensorBoard's compressor interpolates them; all 0
/// without bins.
std::array<double, kBasisPoints.size()> boundsOf(const HistogramBins& bins);

/// Markdown of the plugin "text"; several texts are paragraphs, a table of texts is a table.
std::optional<std::string> markdownOf(const EventValue& value);

/// The encoded pictures of one value, as logged: usually PNG, never checked here. Empty if the
/// value is none.
std::vector<std::string> imagesOf(const EventValue& value);
bool isAudio(const EventValue& value);

/// The plugin "pr_curves": for each threshold (evenly from 0 to 1), how many rows are …
struct PrCurve
{
    std::vector<double> truePositives;
    std::vector<double> falsePositives;
    std::vector<double> trueNegatives;
    std::vector<double> falseNegatives;
    std::vector<double> precision; ///< 0 to 1
    std::vector<double> recall;    ///< 0 to 1
};
std::optional<PrCurve> prCurveOf(const EventValue& value);

/// The JSON of a Keras model, of the plugin "graph_keras_model".
std::optional<std::string> kerasModelOf(const EventValue& value);

/// The hyperparameters that the plugin "hparams" states at the start of a session, by name:
/// numbers in their shortest form, texts as they are. Nothing if the value does not state any.
std::optional<std::vector<std::pair<std::string, std::string>>>
hyperparametersOf(const EventValue& value);

} // namespace cannery::storage
