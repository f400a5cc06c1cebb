#pragma once

#include "core/export/saved_model_exporter.h"
#include "core/plan/model.h"
#include "core/spec/experiment.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

/// Options of the receiver for an experiment: the types of its raw features as they were frozen.
features::EmitOptions receiverOptions(const spec::Experiment& resolved, features::Receiver receiver,
                                      std::vector<std::string> rawFeatures = {});

/// A model's state under its names, without a copy; valid as long as the model.
std::vector<storage::NamedTensor> namedTensors(const std::vector<plan::StateTensor>& state);

} // namespace cannery::app
