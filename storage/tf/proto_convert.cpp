// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/proto_convert.h"

#include "storage/tf/schema/tensor.pb.h"
#include "storage/tf/schema/tensor_shape.pb.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>

namespace cannery::storage::detail {

namespace {

/// Otherwise TextFormat writes to the log.
class Silent final : public google::protobuf::io::ErrorCollector
{
public:
    void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

constexpr ErrorKind kUnknownShape{"tf.unknown_shape",
                                  "A tensor's shape is unknown; its values cannot be read."};
constexpr ErrorKind kBadDimension{"tf.bad_dimension",
                                  "A tensor's shape has the dimension {}; the file is damaged."};
/// TensorFlow's own limit.
constexpr int kMaxRank = 254;

constexpr ErrorKind kTooManyDimensions{
    "tf.too_many_dimensions",
    "A tensor has {} dimensions; at most {} are read. The file is damaged."};
constexpr ErrorKind kTooManyElements{"tf.too_many_elements",
                                     "A tensor of shape {} is much larger than its stored values, "
                                     "which may expand to at most {} bytes; the file is damaged."};
constexpr ErrorKind kUnsupportedType{
    "tf.unsupported_type",
    "A tensor has TensorFlow's data type number {}, which is not supported."};
constexpr ErrorKind kValueCount{"tf.value_count",
                                "A tensor of shape {} holds {} values; the file is damaged."};

bool allElementsEqual(const HostTensor& tensor)
{
    if (tensor.dtype == DType::String) {
        return tensor.strings.size() == 1;
    }
    const std::size_t size = byteSize(tensor.dtype);
    return !tensor.bytes.empty() &&
           std::equal(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(size), tensor.bytes.end(),
                      tensor.bytes.begin());
}

template <typename T>
T element(const HostTensor& tensor)
{
    T value{};
    std::memcpy(&value, tensor.bytes.data(), sizeof(T));
    return value;
}

void addFirstElement(const HostTensor& tensor, tensorflow::TensorProto& proto)
{
    switch (tensor.dtype) {
    case DType::Float32:
        proto.add_float_val(element<float>(tensor));
        break;
    case DType::Float64:
        proto.add_double_val(element<double>(tensor));
        break;
    case DType::Int32:
        proto.add_int_val(element<std::int32_t>(tensor));
        break;
    case DType::Int64:
        proto.add_int64_val(element<std::int64_t>(tensor));
        break;
    case DType::Bool:
        proto.add_bool_val(element<bool>(tensor));
        break;
    default:
        proto.set_tensor_content(tensor.bytes.data(), tensor.bytes.size());
        break;
    }
}

bool hasTypedList(DType dtype)
{
    return dtype == DType::Float32 || dtype == DType::Float64 || dtype == DType::Int32 ||
           dtype == DType::Int64 || dtype == DType::Bool;
}

/// Copies the values of a typed list, repeating the last one; an empty list means zeros.
template <typename T, typename List>
Result<void> fill(const List& list, HostTensor& tensor)
{
    const std::size_t count = tensor.bytes.size() / sizeof(T);
    if (static_cast<std::size_t>(list.size()) > count) {
        return fail(ErrorCode::DataLoss, kValueCount, tensor.shape.toString(), list.size());
    }
    T value{};
    for (std::size_t i = 0; i < count; ++i) {
        if (i < static_cast<std::size_t>(list.size())) {
            value = static_cast<T>(list.Get(static_cast<int>(i)));
        }
        std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return {};
}

Result<void> fillStrings(const tensorflow::TensorProto& proto, HostTensor& tensor)
{
    const auto given = static_cast<std::size_t>(proto.string_val_size());
    if (given > tensor.strings.size()) {
        return fail(ErrorCode::DataLoss, kValueCount, tensor.shape.toString(), given);
    }
    for (std::size_t i = 0; given > 0 && i < tensor.strings.size(); ++i) {
        tensor.strings[i] = proto.string_val(static_cast<int>(std::min(i, given - 1)));
    }
    return {};
}

Result<void> fillTyped(const tensorflow::TensorProto& proto, HostTensor& tensor)
{
    switch (tensor.dtype) {
    case DType::Float32:
        return fill<float>(proto.float_val(), tensor);
    case DType::Float64:
        return fill<double>(proto.double_val(), tensor);
    case DType::Int32:
        return fill<std::int32_t>(proto.int_val(), tensor);
    case DType::UInt8:
        return fill<std::uint8_t>(proto.int_val(), tensor);
    case DType::Int8:
        return fill<std::int8_t>(proto.int_val(), tensor);
    case DType::UInt16:
        return fill<std::uint16_t>(proto.int_val(), tensor);
    case DType::Int16:
        return fill<std::int16_t>(proto.int_val(), tensor);
    case DType::Float16:
    case DType::BFloat16:
        return fill<std::uint16_t>(proto.half_val(), tensor);
    case DType::Int64:
        return fill<std::int64_t>(proto.int64_val(), tensor);
    case DType::UInt32:
        return fill<std::uint32_t>(proto.uint32_val(), tensor);
    case DType::UInt64:
        return fill<std::uint64_t>(proto.uint64_val(), tensor);
    case DType::Bool:
        return fill<bool>(proto.bool_val(), tensor);
    case DType::String:
        return fillStrings(proto, tensor);
    case DType::Complex64:
        return fill<float>(proto.scomplex_val(), tensor);
    case DType::Complex128:
        return fill<double>(proto.dcomplex_val(), tensor);
    case DType::Invalid:
        break;
    }
    return fail(ErrorCode::Unimplemented, kUnsupportedType, static_cast<int>(tensor.dtype));
}

/// Number of elements that the typed list of this type holds.
std::uint64_t storedValues(const tensorflow::TensorProto& proto, DType dtype)
{
    const auto values = [&]() -> int {
        switch (dtype) {
        case DType::Float32:
            return proto.float_val_size();
        case DType::Float64:
            return proto.double_val_size();
        case DType::Int32:
        case DType::UInt8:
        case DType::Int8:
        case DType::UInt16:
        case DType::Int16:
            return proto.int_val_size();
        case DType::Float16:
        case DType::BFloat16:
            return proto.half_val_size();
        case DType::Int64:
            return proto.int64_val_size();
        case DType::UInt32:
            return proto.uint32_val_size();
        case DType::UInt64:
            return proto.uint64_val_size();
        case DType::Bool:
            return proto.bool_val_size();
        case DType::String:
            return proto.string_val_size();
        case DType::Complex64:
            return proto.scomplex_val_size() / 2;
        case DType::Complex128:
            return proto.dcomplex_val_size() / 2;
        case DType::Invalid:
            break;
        }
        return 0;
    };
    return static_cast<std::uint64_t>(values());
}

/// Bytes of the repeated text beyond the element itself.
std::size_t bytesOfLast(const tensorflow::TensorProto& proto, DType dtype)
{
    return dtype == DType::String ? proto.string_val(proto.string_val_size() - 1).size() : 0;
}

} // namespace

std::string serializeDeterministically(const google::protobuf::MessageLite& message)
{
    // Into preallocated memory: protobuf's stream into a string aborts the process if memory runs
    // out half-way.
    std::string bytes(message.ByteSizeLong(), '\0');
    google::protobuf::io::ArrayOutputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    const bool serialized = message.SerializeToCodedStream(&coded);
    CANNERY_CHECK(serialized);
    return bytes;
}

Result<bool> parseMessage(std::string_view bytes, google::protobuf::Message& message)
{
    static_assert(kMaxMessageBytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    CANNERY_TRY(checkMessageLimits(bytes, *message.GetDescriptor()));
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

namespace {

/// `places` may be null.
Result<bool> parseWith(const std::string& text, google::protobuf::Message& message,
                       google::protobuf::TextFormat::ParseInfoTree* places)
{
    CANNERY_TRY(checkTextLimits(text));
    Silent silent;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&silent);
    parser.AllowUnknownField(true);
    parser.SetRecursionLimit(kMaxMessageDepth);
    if (places != nullptr) {
        parser.WriteLocationsTo(places);
    }
    return parser.ParseFromString(text, &message);
}

} // namespace

Result<bool> parseText(const std::string& text, google::protobuf::Message& message)
{
    return parseWith(text, message, nullptr);
}

Result<bool> parseText(const std::string& text, google::protobuf::Message& message,
                       const std::string& field, std::vector<std::size_t>& lines)
{
    google::protobuf::TextFormat::ParseInfoTree places;
    CANNERY_TRY_ASSIGN(const bool isParsed, parseWith(text, message, &places));
    const google::protobuf::FieldDescriptor* list = message.GetDescriptor()->FindFieldByName(field);
    const int count = isParsed ? message.GetReflection()->FieldSize(message, list) : 0;
    lines.clear();
    for (int i = 0; i < count; ++i) {
        lines.push_back(static_cast<std::size_t>(places.GetLocation(list, i).line) + 1);
    }
    return isParsed;
}

std::string printText(const google::protobuf::Message& message)
{
    google::protobuf::TextFormat::Printer printer;
    std::string text;
    printer.PrintToString(message, &text);
    return text;
}

void toProto(const Shape& shape, tensorflow::TensorShapeProto& proto)
{
    for (const std::int64_t dim : shape.dims) {
        proto.add_dim()->set_size(dim);
    }
}

void toProto(const HostTensor& tensor, tensorflow::TensorProto& proto)
{
    proto.set_dtype(static_cast<tensorflow::DataType>(tensor.dtype));
    toProto(tensor.shape, *proto.mutable_tensor_shape());
    valuesToProto(tensor, proto);
}

void valuesToProto(const HostTensor& tensor, tensorflow::TensorProto& proto)
{
    if (tensor.dtype == DType::String) {
        for (const std::string& value : tensor.strings) {
            proto.add_string_val(value);
        }
        // Readers repeat the last value of a typed list, so that one number is enough for a
        // constant.
    } else if (hasTypedList(tensor.dtype) && allElementsEqual(tensor)) {
        addFirstElement(tensor, proto);
    } else {
        proto.set_tensor_content(tensor.bytes.data(), tensor.bytes.size());
    }
}

Result<Shape> shapeFromProto(const tensorflow::TensorShapeProto& proto, std::int64_t minimum)
{
    if (proto.unknown_rank()) {
        return fail(ErrorCode::InvalidArgument, kUnknownShape);
    }
    if (proto.dim_size() > kMaxRank) {
        return fail(ErrorCode::DataLoss, kTooManyDimensions, proto.dim_size(), kMaxRank);
    }
    Shape shape;
    for (const auto& dim : proto.dim()) {
        if (dim.size() < minimum) {
            return fail(ErrorCode::DataLoss, kBadDimension, dim.size());
        }
        shape.dims.push_back(dim.size());
    }
    return shape;
}

Result<std::int64_t> checkedElementCount(const Shape& shape)
{
    std::int64_t count = 1;
    bool empty = false;
    bool overflow = false;
    for (const std::int64_t dim : shape.dims) {
        if (dim < 0) {
            return fail(ErrorCode::DataLoss, kBadDimension, dim);
        }
        empty = empty || dim == 0;
        overflow = overflow || (dim != 0 && __builtin_mul_overflow(count, dim, &count));
    }
    if (empty) {
        return std::int64_t{0};
    }
    if (overflow) {
        return fail(ErrorCode::DataLoss, kTooManyElements, shape.toString(), kMaxFilledBytes);
    }
    return count;
}

Result<HostTensor> tensorFromProto(const tensorflow::TensorProto& proto, FillBudget& budget)
{
    const auto dtype = static_cast<DType>(proto.dtype());
    const std::size_t size = dtype == DType::String ? sizeof(std::string) : byteSize(dtype);
    if (size == 0) {
        return fail(ErrorCode::Unimplemented, kUnsupportedType, static_cast<int>(proto.dtype()));
    }
    CANNERY_TRY_ASSIGN(const Shape shape, shapeFromProto(proto.tensor_shape(), 0));
    CANNERY_TRY_ASSIGN(const std::int64_t count, checkedElementCount(shape));
    const auto elements = static_cast<std::uint64_t>(count);
    const std::string& content = proto.tensor_content();
    if (!content.empty()) {
        if (dtype == DType::String || content.size() % size != 0 ||
            content.size() / size != elements) {
            return fail(ErrorCode::DataLoss, kValueCount, shape.toString(), content.size() / size);
        }
        HostTensor tensor = HostTensor::zeros(dtype, shape);
        std::memcpy(tensor.bytes.data(), content.data(), tensor.bytes.size());
        return tensor;
    }
    const std::uint64_t stored = storedValues(proto, dtype);
    // By repetition a few bytes can claim a tensor of any size: all tensors that are read with one
    // budget share it.
    if (elements > stored) {
        const std::size_t each = size + (stored > 0 ? bytesOfLast(proto, dtype) : 0);
        if (elements - stored > budget.bytes / each) {
            return fail(ErrorCode::DataLoss, kTooManyElements, shape.toString(), kMaxFilledBytes);
        }
        budget.bytes -= (elements - stored) * each;
    }
    HostTensor tensor = HostTensor::zeros(dtype, shape);
    CANNERY_TRY(fillTyped(proto, tensor));
    return tensor;
}

Result<HostTensor> tensorFromProto(const tensorflow::TensorProto& proto)
{
    FillBudget budget;
    return tensorFromProto(proto, budget);
}

} // namespace cannery::storage::detail
