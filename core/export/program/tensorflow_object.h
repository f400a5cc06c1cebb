// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/annotations.pb.h"

#include <google/protobuf/descriptor.h>

namespace cannery::exporting {

/// What stands for a message in TensorFlow, as the schema says; nullptr if nothing does.
inline const spec::TensorFlowObject* tensorflowObject(const google::protobuf::Descriptor& message)
{
    const google::protobuf::MessageOptions& options = message.options();
    return options.HasExtension(spec::tensorflow) ? &options.GetExtension(spec::tensorflow)
                                                  : nullptr;
}

/// How a field is written as an argument.
inline const spec::TensorFlowArgument&
tensorflowArgument(const google::protobuf::FieldDescriptor& field)
{
    return field.options().GetExtension(spec::argument);
}

} // namespace cannery::exporting
