// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/document/network_outline.h"

#include <QCoreApplication>

namespace cannery::ui {

/// Changes to the layers of a network, as edits of its text. Layers are given by their index in the
/// outline. A change keeps what the others read: a layer that read the one before it still reads
/// the same layer, by its name where that is now needed. Empty lists: there is nothing to change.
class NetworkEdits
{
    Q_DECLARE_TR_FUNCTIONS(NetworkEdits)

public:
    /// The outline is of the text that is edited.
    explicit NetworkEdits(const NetworkOutline& outline) : m_outline(outline) {}

    /// A new layer of this kind behind `after` in the text (-1: the first one) that reads it and
    /// is read by nobody, unless the next one reads what is before it.
    QList<FieldEdit> insertAfter(const QString& kind, int after) const;
    /// A new layer on the way from one layer to another.
    QList<FieldEdit> insertBetween(const QString& kind, int from, int to) const;
    /// Readers of a removed layer read what it read.
    QList<FieldEdit> remove(const QList<int>& layers) const;
    /// `to` reads `from`: as well as its other inputs if its kind takes several, otherwise instead.
    QList<FieldEdit> connect(int from, int to) const;
    /// Why they cannot be connected, a sentence; empty if they can.
    QString hindrance(int from, int to) const;
    /// A connection can go if `to` reads another layer, too.
    QList<FieldEdit> disconnect(int from, int to) const;
    /// A copy behind the layer, `written` being its text: it reads the layer and is read by the
    /// next one if that reads the one before it.
    QList<FieldEdit> duplicate(int layer, const QString& written) const;
    /// To another place in the text; connections stay.
    QList<FieldEdit> move(int layer, int target) const;

    /// What a new layer of a kind is in the text: "{ dense { units: 16 } }".
    QString newLayer(const QString& kind) const;

private:
    const NetworkOutline& m_outline;
};

} // namespace cannery::ui
