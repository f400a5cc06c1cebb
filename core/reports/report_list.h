// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

namespace cannery::reports {

/// The messages of a list in a report, as functions return a part of one.
template <typename Message>
using ReportList = google::protobuf::RepeatedPtrField<Message>;

} // namespace cannery::reports
