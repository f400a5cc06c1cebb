// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/graph_text.h"

#include "storage/tf/proto_convert.h"
#include "storage/tf/schema/graph.pb.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace cannery::storage::detail {

namespace {

/// Writes what our graphs are full of by itself, and leaves the rest to protobuf.
class GraphPrinter
{
public:
    GraphPrinter() { m_attrPrinter.SetInitialIndentLevel(kAttrLevel); }

    void print(const tensorflow::NodeDef& node)
    {
        if (!isOrdinary(node)) {
            return printOdd(node);
        }
        m_text += "node {\n";
        printString("  name: ", node.name());
        printString("  op: ", node.op());
        for (const std::string& input : node.input()) {
            printString("  input: ", input);
        }
        m_attrs.clear();
        for (const auto& attr : node.attr()) {
            m_attrs.emplace_back(&attr.first, &attr.second);
        }
        std::sort(m_attrs.begin(), m_attrs.end(),
                  [](const Attr& a, const Attr& b) { return *a.first < *b.first; });
        for (const auto& [key, value] : m_attrs) {
            m_text += "  attr {\n";
            printString("    key: ", *key);
            m_text += "    value {\n";
            print(*value);
            m_text += "    }\n  }\n";
        }
        m_text += "}\n";
    }

    /// What follows the nodes.
    void printRest(const tensorflow::GraphDef& graph)
    {
        tensorflow::GraphDef rest;
        if (graph.has_library()) {
            rest.mutable_library()->CopyFrom(graph.library());
        }
        if (graph.has_versions()) {
            rest.mutable_versions()->CopyFrom(graph.versions());
        }
        m_text += printText(rest);
    }

    std::string take() { return std::move(m_text); }

private:
    using Attr = std::pair<const std::string*, const tensorflow::AttrValue*>;

    static constexpr int kAttrLevel = 3;

    /// Whether protobuf would write this text as it is.
    static bool isPlain(std::string_view text)
    {
        return std::all_of(text.begin(), text.end(), [](char character) {
            return character >= ' ' && character <= '~' && character != '"' && character != '\'' &&
                   character != '\\';
        });
    }

    static bool isOrdinary(const tensorflow::NodeDef& node)
    {
        const bool hasMore = !node.device().empty() || !node.opaque_debug_info().empty() ||
                             !node.opaque_type().empty();
        return !hasMore && !node.name().empty() && isPlain(node.name()) && !node.op().empty() &&
               isPlain(node.op()) &&
               std::all_of(node.input().begin(), node.input().end(),
                           [](const std::string& input) { return isPlain(input); }) &&
               std::all_of(node.attr().begin(), node.attr().end(),
                           [](const auto& attr) { return isPlain(attr.first); });
    }

    void print(const tensorflow::AttrValue& value)
    {
        if (value.value_case() == tensorflow::AttrValue::kType &&
            tensorflow::DataType_IsValid(value.type())) {
            m_text += "      type: ";
            m_text += tensorflow::DataType_Name(value.type());
            m_text += '\n';
        } else if (value.value_case() == tensorflow::AttrValue::kS && isPlain(value.s())) {
            printString("      s: ", value.s());
        } else {
            m_attrPrinter.PrintToString(value, &m_scratch);
            m_text += m_scratch;
        }
    }

    void printOdd(const tensorflow::NodeDef& node)
    {
        tensorflow::GraphDef one;
        one.add_node()->CopyFrom(node);
        m_text += printText(one);
    }

    void printString(std::string_view label, const std::string& plain)
    {
        m_text += label;
        m_text += '"';
        m_text += plain;
        m_text += "\"\n";
    }

    google::protobuf::TextFormat::Printer m_attrPrinter;
    std::string m_text;
    std::string m_scratch;
    std::vector<Attr> m_attrs;
};

} // namespace

std::string graphText(const tensorflow::GraphDef& graph)
{
    GraphPrinter printer;
    for (const tensorflow::NodeDef& node : graph.node()) {
        printer.print(node);
    }
    printer.printRest(graph);
    return printer.take();
}

} // namespace cannery::storage::detail
