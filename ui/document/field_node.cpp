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

QList<const FieldNode*> FieldNode::namedFiles() const
{
    if (children.isEmpty()) {
        return names == FieldNames::File && !isRepeated ? QList{this} : QList<const FieldNode*>();
    }
    QList<const FieldNode*> files;
    for (const FieldNode& node : children) {
        files += node.namedFiles();
    }
    return files;
}

} // namespace cannery::ui
