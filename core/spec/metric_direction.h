// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace cannery::spec {

class BestExporter;
class Experiment;
class Sweep;

/// Whether more of an evaluation's metric is better, or less; nothing if that does not apply (a
/// mean of predictions) or the metric is not known.
std::optional<bool> isMoreBetter(const Experiment& experiment, std::string_view metric);

/// What is the best of several: `higher_is_better`, or, if that is unset, as the metric is.
bool prefersMore(const Experiment& experiment, const Sweep& sweep);
bool prefersMore(const Experiment& experiment, const BestExporter& exporter);

} // namespace cannery::spec
