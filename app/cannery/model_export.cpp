#include "app/cannery/model_export.h"

namespace cannery::app {

features::EmitOptions receiverOptions(const spec::Experiment& resolved, features::Receiver receiver,
                                      std::vector<std::string> rawFeatures)
{
    features::EmitOptions options{.receiver = receiver, .rawFeatures = std::move(rawFeatures)};
    for (const spec::Column& column : resolved.data().column()) {
        if (column.dtype() != spec::DataType::inferred) {
            options.dtypes[column.name()] = static_cast<DType>(column.dtype());
        }
    }
    return options;
}

std::vector<storage::NamedTensor> namedTensors(const std::vector<plan::StateTensor>& state)
{
    std::vector<storage::NamedTensor> tensors;
    for (const plan::StateTensor& tensor : state) {
        storage::TensorView view;
        view.dtype = tensor.dtype;
        view.shape = tensor.shape;
        view.bytes = tensor.bytes;
        tensors.push_back({.name = tensor.name, .tensor = view});
    }
    return tensors;
}

} // namespace cannery::app
