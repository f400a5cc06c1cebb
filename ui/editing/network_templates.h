// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

class ExperimentDocument;
struct PlanFacts;

/// What a network can begin with and must end with.
struct NetworkEnds
{
    QStringList columns;   ///< the estimator's dense feature columns
    QStringList sequences; ///< its sequence columns
    /// The first layers, up to the one that gives rows of height, width and channels, as their
    /// text; empty if none does.
    QString picture;
    QString logits = QStringLiteral("layer { dense { units: 1 } }"); ///< the last layer, as text
};

/// Of the network that is there, by the shapes that its plan found.
NetworkEnds endsOf(const ExperimentDocument& document, const PlanFacts& plan);

/// A network to begin with.
struct NetworkTemplate
{
    Q_DECLARE_TR_FUNCTIONS(NetworkTemplate)

public:
    QString id;        ///< "cnn"
    QString title;     ///< "Convolutional network"
    QString sentence;  ///< what it is good for
    QString graph;     ///< the value of the field `graph`
    QString hindrance; ///< why these columns cannot have it, a sentence; empty if they can
};

QList<NetworkTemplate> networkTemplates(const NetworkEnds& ends);

} // namespace cannery::ui
