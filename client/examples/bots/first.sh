#!/bin/sh
# Plays the centre of a 3x3 board if it is free, or else the first legal cell.
while read -r line; do
    case $line in *'"type":"turn"'*)
        legal=${line#*'"legal":['}
        legal=${legal%%]*}
        case ,$legal, in *,4,*) cell=4 ;; *) cell=${legal%%,*} ;; esac
        echo "{\"cell\":$cell}" ;;
    esac
done
