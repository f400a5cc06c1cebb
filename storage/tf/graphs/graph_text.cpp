// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graphs/graph_text.h"

#include "storage/tf/example_wire.h"
#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cannery::storage {

namespace {

/// One field of a message in wire format.
struct WireField
{
    int number = 0;
    std::uint64_t value = 0; ///< of a number
    std::string_view bytes;  ///< of a text or message
};

/// Takes a field off the front. False for one of another kind: it is left to protobuf.
bool takeField(std::string_view& message, WireField& field)
{
    std::uint64_t tag = 0;
    constexpr std::uint64_t kKindMask = 7;
    constexpr std::uint64_t kVarint = 0;
    constexpr std::uint64_t kWithLength = 2;
    if (!takeVarint(message, tag)) {
        return false;
    }
    field = {.number = static_cast<int>(tag / (kKindMask + 1)), .value = 0, .bytes = {}};
    switch (tag & kKindMask) {
    case kVarint:
        return takeVarint(message, field.value);
    case kWithLength:
        return takeBytes(message, field.bytes);
    default:
        return false;
    }
}

/// Whether protobuf would write this text as it is.
bool isPlain(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char character) {
        return character >= ' ' && character <= '~' && character != '"' && character != '\'' &&
               character != '\\';
    });
}

/// Writes what our graphs are full of by itself, and leaves the rest to protobuf. A function that
/// returns false has met some of the rest, and what it has written does not count.
class GraphPrinter
{
public:
    explicit GraphPrinter(std::size_t graphBytes)
    {
        constexpr std::size_t kTextOfByte = 3;
        m_attrPrinter.SetInitialIndentLevel(kAttrLevel);
        m_text.reserve(kTextOfByte * graphBytes);
    }

    void print(std::string_view graph)
    {
        std::string_view rest = graph;
        WireField field;
        while (!rest.empty() && takeField(rest, field) &&
               field.number == tensorflow::GraphDef::kNodeFieldNumber) {
            printNode(field.bytes);
            graph = rest;
        }
        printAs<tensorflow::GraphDef>(graph);
    }

    std::string take() { return std::move(m_text); }

private:
    using Node = tensorflow::NodeDef;
    using Attr = tensorflow::AttrValue;
    using Tensor = tensorflow::TensorProto;
    static constexpr int kAttrLevel = 3;

    void printNode(std::string_view node)
    {
        const std::size_t begin = m_text.size();
        m_text += "node {\n";
        if (printFields(node)) {
            m_text += "}\n";
            return;
        }
        m_text.resize(begin);
        tensorflow::GraphDef one;
        const bool isParsed = one.add_node()->ParseFromArray(node.data(), int(node.size()));
        CANNERY_CHECK(isParsed);
        m_text += detail::printText(one);
    }

    bool printFields(std::string_view node)
    {
        WireField field;
        while (!node.empty()) {
            if (!takeField(node, field) || !printField(field)) {
                return false;
            }
        }
        return true;
    }

    bool printField(const WireField& field)
    {
        switch (field.number) {
        case Node::kNameFieldNumber:
            return printString("  name: ", field.bytes);
        case Node::kOpFieldNumber:
            return printString("  op: ", field.bytes);
        case Node::kInputFieldNumber:
            return printString("  input: ", field.bytes);
        case Node::kAttrFieldNumber:
            return printAttr(field.bytes);
        default:
            return false;
        }
    }

    /// An entry of the map, which protobuf writes with key and value.
    bool printAttr(std::string_view entry)
    {
        WireField key;
        WireField value;
        if (!takeField(entry, key) || !takeField(entry, value) || !entry.empty()) {
            return false;
        }
        m_text += "  attr {\n";
        if (!printString("    key: ", key.bytes)) {
            return false;
        }
        m_text += "    value {\n";
        const std::size_t begin = m_text.size();
        if (!printValue(value.bytes)) {
            m_text.resize(begin);
            printAs<tensorflow::AttrValue>(value.bytes, m_attrPrinter);
        }
        m_text += "    }\n  }\n";
        return true;
    }

    bool printValue(std::string_view value)
    {
        WireField field;
        if (!takeField(value, field) || !value.empty()) {
            return false;
        }
        switch (field.number) {
        case Attr::kSFieldNumber:
            return printString("      s: ", field.bytes);
        case Attr::kIFieldNumber:
            printInteger("      i: ", field.value);
            return true;
        case Attr::kBFieldNumber:
            m_text += field.value != 0 ? "      b: true\n" : "      b: false\n";
            return true;
        case Attr::kTypeFieldNumber:
            return printType("      type: ", field.value);
        case Attr::kShapeFieldNumber:
            m_text += "      shape {\n";
            return printShape("        ", field.bytes) && close("      ");
        case Attr::kTensorFieldNumber:
            m_text += "      tensor {\n";
            return printTensor(field.bytes) && close("      ");
        case Attr::kListFieldNumber:
            m_text += "      list {\n";
            return printList(field.bytes) && close("      ");
        default:
            return false;
        }
    }

    /// Of types or shapes: the inputs of a model have one each.
    bool printList(std::string_view list)
    {
        WireField field;
        while (!list.empty()) {
            if (!takeField(list, field) || !printListField(field)) {
                return false;
            }
        }
        return true;
    }

    bool printListField(const WireField& field)
    {
        if (field.number == Attr::ListValue::kShapeFieldNumber) {
            m_text += "        shape {\n";
            return printShape("          ", field.bytes) && close("        ");
        }
        if (field.number != Attr::ListValue::kTypeFieldNumber || field.bytes.empty()) {
            return false;
        }
        std::uint64_t type = 0;
        for (std::string_view types = field.bytes; !types.empty();) {
            if (!takeVarint(types, type) || !printType("        type: ", type)) {
                return false;
            }
        }
        return true;
    }

    bool printShape(std::string_view indent, std::string_view shape)
    {
        WireField dim;
        while (!shape.empty()) {
            if (!takeField(shape, dim) ||
                dim.number != tensorflow::TensorShapeProto::kDimFieldNumber) {
                return false;
            }
            m_text.append(indent).append("dim {\n");
            WireField size;
            if (!dim.bytes.empty()) {
                if (!takeField(dim.bytes, size) || !dim.bytes.empty() ||
                    size.number != tensorflow::TensorShapeProto_Dim::kSizeFieldNumber) {
                    return false;
                }
                m_text.append(indent);
                printInteger("  size: ", size.value);
            }
            close(indent);
        }
        return true;
    }

    /// Of texts or of one number, as most constants are.
    bool printTensor(std::string_view tensor)
    {
        WireField field;
        while (!tensor.empty()) {
            if (!takeField(tensor, field) || !printTensorField(field)) {
                return false;
            }
        }
        return true;
    }

    bool printTensorField(const WireField& field)
    {
        switch (field.number) {
        case Tensor::kDtypeFieldNumber:
            return printType("        dtype: ", field.value);
        case Tensor::kTensorShapeFieldNumber:
            m_text += "        tensor_shape {\n";
            return printShape("          ", field.bytes) && close("        ");
        case Tensor::kFloatValFieldNumber:
            m_text += "        float_val: 0\n";
            return field.bytes.size() == sizeof(float) &&
                   std::ranges::all_of(field.bytes, [](char byte) { return byte == 0; });
        case Tensor::kStringValFieldNumber:
            return printString("        string_val: ", field.bytes);
        case Tensor::kIntValFieldNumber:
            return printOnly("        int_val: ", field.bytes);
        case Tensor::kInt64ValFieldNumber:
            return printOnly("        int64_val: ", field.bytes);
        default:
            return false;
        }
    }

    /// The only value of a packed list.
    bool printOnly(std::string_view label, std::string_view list)
    {
        std::uint64_t value = 0;
        if (!takeVarint(list, value) || !list.empty()) {
            return false;
        }
        printInteger(label, value);
        return true;
    }

    bool printType(std::string_view label, std::uint64_t type)
    {
        if (!tensorflow::DataType_IsValid(static_cast<int>(type))) {
            return false;
        }
        m_text += label;
        m_text += tensorflow::DataType_Name(static_cast<tensorflow::DataType>(type));
        m_text += '\n';
        return true;
    }

    void printInteger(std::string_view label, std::uint64_t value)
    {
        constexpr int kMostDigits = std::numeric_limits<std::int64_t>::digits10 + 1;
        char digits[kMostDigits + 1];
        const auto end =
            std::to_chars(std::begin(digits), std::end(digits), static_cast<std::int64_t>(value));
        m_text += label;
        m_text.append(digits, end.ptr);
        m_text += '\n';
    }

    bool printString(std::string_view label, std::string_view text)
    {
        m_text += label;
        m_text += '"';
        m_text += text;
        m_text += "\"\n";
        return isPlain(text);
    }

    bool close(std::string_view indent)
    {
        m_text.append(indent).append("}\n");
        return true;
    }

    template <typename Message>
    void printAs(std::string_view bytes, const google::protobuf::TextFormat::Printer& printer = {})
    {
        Message message;
        const bool isParsed = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
        CANNERY_CHECK(isParsed);
        std::string text;
        printer.PrintToString(message, &text);
        m_text += text;
    }

    google::protobuf::TextFormat::Printer m_attrPrinter;
    std::string m_text;
};

} // namespace

std::string graphText(std::string_view graph)
{
    GraphPrinter printer(graph.size());
    printer.print(graph);
    return printer.take();
}

} // namespace cannery::storage
