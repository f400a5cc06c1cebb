// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "storage/tf/message_limits.h"
#include "storage/tf/tensor.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class Message;
class MessageLite;
} // namespace google::protobuf

namespace tensorflow {
class TensorProto;
class TensorShapeProto;
} // namespace tensorflow

/// Conversions between our values and TensorFlow's messages; only for the sources of storage/tf.
namespace cannery::storage::detail {

/// Field order by number and map entries by key, so equal messages give equal bytes.
std::string serializeDeterministically(const google::protobuf::MessageLite& message);
/// False if the bytes are not such a message; an error that names the limit if it is exceeded.
Result<bool> parseMessage(std::string_view bytes, google::protobuf::Message& message);
/// The same for protobuf text; fields that the schema does not have are skipped.
Result<bool> parseText(const std::string& text, google::protobuf::Message& message);
/// The same; also the lines, from 1, on which the elements of a repeated field begin.
Result<bool> parseText(const std::string& text, google::protobuf::Message& message,
                       const std::string& field, std::vector<std::size_t>& lines);
/// As protobuf text, maps sorted by key.
std::string printText(const google::protobuf::Message& message);

void toProto(const Shape& shape, tensorflow::TensorShapeProto& proto);
/// Scalars and tensors of one repeated value are stored in the typed list, others as raw bytes.
void toProto(const HostTensor& tensor, tensorflow::TensorProto& proto);
/// What its values add to that, besides type and shape.
void valuesToProto(const HostTensor& tensor, tensorflow::TensorProto& proto);

/// Rejects unknown rank, and sizes whose product overflows: every dimension at least `minimum` (-1
/// allows unknown dimensions).
Result<Shape> shapeFromProto(const tensorflow::TensorShapeProto& proto, std::int64_t minimum);
/// How much the tensors of one message may still expand beyond the stored values: expanding a value
/// that is stated once and repeated consumes it, so a small message cannot claim much memory.
struct FillBudget
{
    std::size_t bytes = kMaxFilledBytes;
};

/// Rejects unsupported types, element counts that do not match the values given, and anything
/// beyond the budget ("tf.too_many_elements", before anything is allocated).
Result<HostTensor> tensorFromProto(const tensorflow::TensorProto& proto, FillBudget& budget);
/// A single tensor.
Result<HostTensor> tensorFromProto(const tensorflow::TensorProto& proto);

/// Product of the dimensions, or an error if it is negative or does not fit into 63 bits.
Result<std::int64_t> checkedElementCount(const Shape& shape);

} // namespace cannery::storage::detail
