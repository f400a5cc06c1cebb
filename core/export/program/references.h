// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/tensorflow_names.h"

#include <google/protobuf/message.h>

#include <set>
#include <string>
#include <vector>

namespace cannery::exporting {

/// The feature columns that a message refers to by their names, in order of first mention.
std::vector<std::string> referencedColumns(const google::protobuf::Message& message);

/// The raw features that a message refers to, by their names or through feature columns.
std::set<std::string> referencedFeatures(const spec::ColumnIndex& columns,
                                         const google::protobuf::Message& message);

} // namespace cannery::exporting
