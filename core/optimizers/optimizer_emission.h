// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/graphs/float_nodes.h"
#include "storage/tf/graphs/graph_def_builder.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cannery::optimizers {

/// What an optimizer knows in a step, as nodes; float32 scalars.
struct EmittedStep
{
    storage::GraphDefBuilder& graph;
    storage::NodeRef learningRate; ///< of the step, after schedule and decay
    storage::NodeRef stepNumber;   ///< from 1
    std::map<std::string, const storage::GraphVariable*, std::less<>> scalars; ///< by Scalar::name
};

/// One variable in a step. `ids` without a node: `grad` is that of every element; otherwise of the
/// rows `ids` (int64, each once).
struct EmittedUpdate
{
    const storage::GraphVariable& variable;
    std::map<std::string, const storage::GraphVariable*, std::less<>> slots; ///< by SlotSpec::name
    storage::NodeRef grad;
    storage::NodeRef ids;
};

/// Emits one update as the optimizers of TensorFlow 2.15 do, with its own operations where it has
/// some; returns the last operation.
class UpdateEmitter
{
public:
    UpdateEmitter(const EmittedStep& step, const EmittedUpdate& update)
        : m_step(step), m_update(update), m_nodes(step.graph)
    {}

    bool isSparse() const { return !m_update.ids.node.empty(); }
    const storage::FloatNodes& nodes() const { return m_nodes; }
    const storage::NodeRef& rate() const { return m_step.learningRate; }
    const storage::NodeRef& grad() const { return m_update.grad; }
    /// The gradient of every row: with zeros in those that have none.
    storage::NodeRef allRows() const
    {
        if (!isSparse()) {
            return grad();
        }
        const storage::NodeRef count =
            m_step.graph.constant("Const", m_update.variable.spec.shape.dims.front());
        return m_step.graph.add(
            "UnsortedSegmentSum", "UnsortedSegmentSum", {grad(), m_update.ids, count},
            {{"T", DType::Float32}, {"Tindices", DType::Int64}, {"Tnumsegments", DType::Int64}});
    }
    storage::NodeRef number(double value) const
    {
        return m_nodes.number(static_cast<float>(value));
    }
    const storage::NodeRef& scalar(const char* name) const { return scalarVariable(name).read; }
    const storage::GraphVariable& scalarVariable(const char* name) const
    {
        return *m_step.scalars.find(name)->second;
    }
    const storage::NodeRef& stepNumber() const { return m_step.stepNumber; }
    /// scalar ^ number of the step
    storage::NodeRef power(const char* name) const
    {
        return m_nodes.apply("Pow", {scalar(name), m_step.stepNumber});
    }
    storage::NodeRef rest(const char* name) const
    {
        return m_nodes.subtract(m_nodes.number(1.0F), scalar(name));
    }
    bool hasSlot(const char* name) const { return m_update.slots.contains(name); }
    const storage::NodeRef& slot(const char* name) const
    {
        return m_update.slots.find(name)->second->handle;
    }
    const storage::NodeRef& variable() const { return m_update.variable.handle; }

    /// An operation on the variable: its handle, the handles of these slots, the inputs. The name
    /// is that of the dense operation without "Resource", and its sparse form has other inputs.
    storage::NodeRef dense(const std::string& op, const std::vector<const char*>& slots,
                           const std::vector<storage::NodeRef>& inputs,
                           storage::Attrs attrs = {}) const
    {
        return fused("Resource" + op, slots, inputs, std::move(attrs));
    }
    /// The same for "ResourceSparse…", with the ids as its last input but `after`.
    storage::NodeRef sparse(const std::string& op, const std::vector<const char*>& slots,
                            std::vector<storage::NodeRef> inputs,
                            const std::vector<storage::NodeRef>& after = {},
                            storage::Attrs attrs = {}) const
    {
        inputs.push_back(m_update.ids);
        inputs.insert(inputs.end(), after.begin(), after.end());
        attrs.emplace_back("Tindices", DType::Int64);
        return fused("ResourceSparse" + op, slots, inputs, std::move(attrs));
    }

    // Updates in several operations: each waits for those before it.

    /// All of a variable's or slot's values, as they are now.
    storage::NodeRef read(const storage::NodeRef& handle)
    {
        return m_step.graph.add("ReadVariableOp", "ReadVariableOp", {handle}, kFloat, m_done);
    }
    /// The rows of the gradient.
    storage::NodeRef readRows(const storage::NodeRef& handle)
    {
        return m_step.graph.add("ResourceGather", "ResourceGather", {handle, m_update.ids},
                                {{"dtype", DType::Float32}, {"Tindices", DType::Int64}}, m_done);
    }
    void assign(const storage::NodeRef& handle, const storage::NodeRef& value)
    {
        finish(m_step.graph.add("AssignVariableOp", "AssignVariableOp", {handle, value}, kFloat,
                                m_done));
    }
    void subtract(const storage::NodeRef& handle, const storage::NodeRef& value)
    {
        finish(m_step.graph.add("AssignSubVariableOp", "AssignSubVariableOp", {handle, value},
                                kFloat, m_done));
    }
    void addRows(const storage::NodeRef& handle, const storage::NodeRef& value)
    {
        scatter("ResourceScatterAdd", handle, value);
    }
    void assignRows(const storage::NodeRef& handle, const storage::NodeRef& value)
    {
        scatter("ResourceScatterUpdate", handle, value);
    }
    /// slot = share slot + (1 - share) value, the share a scalar; of a gradient of rows, `value` is
    /// of its rows, and all rows decay. Returns the new values, or those of the rows.
    storage::NodeRef follow(const char* slotName, const char* share, const storage::NodeRef& value)
    {
        const storage::NodeRef& handle = slot(slotName);
        const storage::NodeRef decayed = m_nodes.multiply(read(handle), scalar(share));
        const storage::NodeRef gained = m_nodes.multiply(value, rest(share));
        if (!isSparse()) {
            const storage::NodeRef mean = m_nodes.add(decayed, gained);
            assign(handle, mean);
            return mean;
        }
        assign(handle, decayed);
        addRows(handle, gained);
        return readRows(handle);
    }
    const storage::NodeRef& last() const { return m_done.front(); }

private:
    inline static const storage::Attrs kFloat{{"dtype", DType::Float32}};

    storage::NodeRef fused(const std::string& op, const std::vector<const char*>& slots,
                           const std::vector<storage::NodeRef>& inputs, storage::Attrs attrs) const
    {
        std::vector<storage::NodeRef> all{variable()};
        for (const char* name : slots) {
            all.push_back(slot(name));
        }
        all.insert(all.end(), inputs.begin(), inputs.end());
        attrs.emplace_back("T", DType::Float32);
        return m_step.graph.add(op, op, all, attrs);
    }
    void scatter(const char* op, const storage::NodeRef& handle, const storage::NodeRef& value)
    {
        finish(m_step.graph.add(op, op, {handle, m_update.ids, value},
                                {{"dtype", DType::Float32}, {"Tindices", DType::Int64}}, m_done));
    }
    void finish(storage::NodeRef operation) { m_done = {std::move(operation)}; }

    const EmittedStep& m_step;
    const EmittedUpdate& m_update;
    storage::FloatNodes m_nodes;
    std::vector<storage::NodeRef> m_done;
};

} // namespace cannery::optimizers
