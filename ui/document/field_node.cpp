// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/field_node.h"

#include <algorithm>

namespace cannery::ui {

const FieldNode* FieldNode::child(const QString& childName) const
{
    const auto found = std::find_if(children.begin(), children.end(),
                                    [&](const FieldNode& node) { return node.name == childName; });
    return found == children.end() ? nullptr : &*found;
}

QList<const FieldNode*> FieldNode::naming(std::initializer_list<FieldNames> kinds) const
{
    if (children.isEmpty()) {
        const bool isOne = std::find(kinds.begin(), kinds.end(), names) != kinds.end();
        return isOne && !isRepeated ? QList{this} : QList<const FieldNode*>();
    }
    QList<const FieldNode*> found;
    for (const FieldNode& node : children) {
        found += node.naming(kinds);
    }
    return found;
}

QStringList FieldNode::namesOf(std::initializer_list<FieldNames> kinds) const
{
    QStringList texts;
    for (const FieldNode* node : naming(kinds)) {
        if (!node->text.isEmpty()) {
            texts << node->text;
        }
    }
    return texts;
}

} // namespace cannery::ui
