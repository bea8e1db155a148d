// Predict the records of a FASTA file in equal parts, each a task of its own.
//
//     nextflow run packaging/nextflow/main.nf --model peptides.sfm --input new.fasta --shards 4
//
// or, in a workflow of your own:
//
//     include { SFMBIO_PREDICT } from './packaging/nextflow/main.nf'
//     SFMBIO_PREDICT(channel.of([[id: 'new'], file('new.fasta')]), file('peptides.sfm'), 4)
//
// The table is that of one run.

nextflow.enable.dsl = 2

process PREDICT_PART {
    tag "${meta.id} ${number}/${shards}"
    cpus 1

    input:
    tuple val(meta), path(records), val(number), val(shards)
    path model

    output:
    tuple val(meta), val(number), path("${meta.id}.part${number}.tsv")

    script:
    """
    sfmbio predict '${model}' '${records}' --shard ${number}/${shards} \\
        --threads ${task.cpus} --quiet -o '${meta.id}.part${number}.tsv'
    """
}

process JOIN_PARTS {
    tag "${meta.id}"
    publishDir params.outdir ?: 'results', mode: 'copy'

    input:
    tuple val(meta), path(parts)

    output:
    tuple val(meta), path("${meta.id}.tsv")

    script:
    // In the order they are given; the header row is in the first part.
    def files = (parts instanceof List ? parts : [parts]).collect { part -> "'${part}'" }.join(' ')
    """
    cat ${files} > '${meta.id}.tsv'
    """
}

workflow SFMBIO_PREDICT {
    take:
    records // channel of [meta, FASTA file]; meta.id names the table
    model   // model file
    shards  // number of parts

    main:
    numbers = channel.of(1..shards)
    parts = PREDICT_PART(
        records.combine(numbers).map { meta, fasta, number -> [meta, fasta, number, shards] },
        model
    )
    sorted = parts
        .map { meta, number, part -> [meta, [number, part]] }
        .groupTuple(size: shards)
        .map { meta, found -> [meta, found.sort { pair -> pair[0] }.collect { pair -> pair[1] }] }
    tables = JOIN_PARTS(sorted)

    emit:
    tables
}

workflow {
    fasta = file(params.input, checkIfExists: true)
    SFMBIO_PREDICT(
        channel.of([[id: fasta.simpleName], fasta]),
        file(params.model, checkIfExists: true),
        (params.shards ?: 4) as int
    )
}
